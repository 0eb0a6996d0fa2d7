/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Tools of the host that know the line of a code address: addr2line, else llvm-symbolizer; atos on
 * macOS. Reading a module's debug information is most of their work, so addr2line is started once
 * per module and asked over a socket; the others are started once per address.
 *
 * A tool that does not answer, or answers rubbish, is killed and not asked again, by no process of
 * the command: what one of them learns stands in memory that all share. A tool that dies may have
 * died of that one module.
 */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "host_private.h"

#define PATH_BYTES 512u

/* Longer than any module's debug information takes to be read. */
#define TOOL_SECONDS 20u

extern char **environ; /* POSIX has no header for it */

/* What all processes of this command know of the tools. */
struct known {
    volatile bool is_given_up[2];
    volatile bool is_said;
};
enum tool { TOOL_SERVER, TOOL_ONCE };

static uint32_t tool_seconds = TOOL_SECONDS;

void sim_host_symbol_wait(uint32_t seconds) {
    tool_seconds = seconds;
}

static struct known *known(void) {
    static struct known alone;
    static struct known *shared;
    if (shared == NULL) {
        void *memory =
            mmap(NULL, sizeof(*shared), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANON, -1, 0);

        shared = memory != MAP_FAILED ? memory : &alone;
    }
    return shared;
}

void sim_symbolizer_share(void) {
    (void)known();
}

/* A line of a program, not of a report: reports are compared. */
static void say_missing(void) {
    if (!known()->is_said) {
        known()->is_said = true;
        (void)fflush(stdout);
        (void)fprintf(stderr, "ndksim: reports are without source lines: no tool of the host "
                              "(addr2line, llvm-symbolizer, atos) answers\n");
    }
}

static void give_up(enum tool tool) {
    known()->is_given_up[tool] = true;
}

/* Whether there is something to read before the time is over. */
static bool await(int file, uint64_t until_ns) {
    struct pollfd waits = {.fd = file, .events = POLLIN};

    for (;;) {
        uint64_t now_ns = sim_host_wall_ns();
        int ready;

        if (now_ns >= until_ns) {
            return false;
        }
        ready = poll(&waits, 1, (int)((until_ns - now_ns) / SIM_NS_PER_MS + 1));
        if (ready != 0 && (ready > 0 || errno != EINTR)) {
            return ready > 0;
        }
    }
}

static uint64_t wait_end_ns(void) {
    return sim_host_wall_ns() + tool_seconds * SIM_NS_PER_S;
}

static void end_tool(pid_t child) {
    (void)kill(child, SIGKILL);
    while (waitpid(child, NULL, 0) < 0 && errno == EINTR) {
    }
}

/* Starts a tool; the caller closes `input` and `output`. */
static bool start_tool(char *const arguments[], int input, int output, pid_t *child) {
    posix_spawn_file_actions_t actions;
    bool started = posix_spawn_file_actions_init(&actions) == 0;

    if (!started) {
        return false;
    }
    (void)posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, "/dev/null", O_WRONLY, 0);
    (void)posix_spawn_file_actions_adddup2(&actions, input, STDIN_FILENO);
    (void)posix_spawn_file_actions_adddup2(&actions, output, STDOUT_FILENO);
    started = posix_spawnp(child, arguments[0], &actions, NULL, arguments, environ) == 0;
    (void)posix_spawn_file_actions_destroy(&actions);
    return started;
}

/* Reads all that `file` gives, cut to `size`; false: it did not come to an end in time. */
static bool read_all(int file, char *buffer, size_t size) {
    uint64_t until_ns = wait_end_ns();
    size_t used = 0;
    char rest[256];
    ssize_t got = 1;

    while (got > 0 && await(file, until_ns)) {
        bool full = used + 1 >= size;

        got = full ? read(file, rest, sizeof(rest)) : read(file, buffer + used, size - used - 1);
        used += !full && got > 0 ? (size_t)got : 0;
    }
    buffer[used] = '\0';
    return got <= 0;
}

/* Both ends are this process' alone. */
static bool ends_make(int ends[2]) {
    if (socketpair(AF_UNIX, SOCK_STREAM, 0, ends) != 0) {
        return false;
    }
    (void)fcntl(ends[0], F_SETFD, FD_CLOEXEC);
    (void)fcntl(ends[1], F_SETFD, FD_CLOEXEC);
    return true;
}

/* Runs a tool and reads its output; false when it is not there or fails. */
static bool run_tool(char *const arguments[], char *output, size_t size) {
    int ends[2];
    int status = -1;
    pid_t child = -1;
    bool started;

    if (known()->is_given_up[TOOL_ONCE] || !ends_make(ends)) {
        return false;
    }
    started = start_tool(arguments, ends[1], ends[1], &child);
    (void)close(ends[1]);
    if (started && !read_all(ends[0], output, size)) {
        give_up(TOOL_ONCE);
        (void)kill(child, SIGKILL);
    }
    while (started && waitpid(child, &status, 0) < 0 && errno == EINTR) {
    }
    (void)close(ends[0]);
    return started && WIFEXITED(status) && WEXITSTATUS(status) == 0 && output[0] != '\0';
}

#if defined(__APPLE__)
bool sim_symbolizer_ask(const char *file, uintptr_t base, uintptr_t code, char *output,
                        size_t size) {
    char path[PATH_BYTES], start[32], address[32];

    (void)snprintf(path, sizeof(path), "%s", file);
    (void)snprintf(start, sizeof(start), "0x%llx", (unsigned long long)base);
    (void)snprintf(address, sizeof(address), "0x%llx", (unsigned long long)code);
    {
        char *const atos[] = {"atos", "-o", path, "-l", start, address, NULL};

        if (run_tool(atos, output, size)) {
            return true;
        }
        say_missing();
        return false;
    }
}
#else
#define SERVER_COUNT 8u
/* Of one answer: more functions drawn into each other than any compiler does. */
#define ANSWER_LINES_MAX 256

struct server {
    char file[PATH_BYTES];
    pid_t owner; /* a forked process has the socket, too, and must not use it */
    pid_t child;
    int socket;
    bool failed;
};

static struct server servers[SERVER_COUNT];
static size_t server_next;

static void server_start(struct server *server) {
    char *const arguments[] = {"addr2line", "-a", "-f", "-i", "-e", server->file, NULL};
    int ends[2];

    server->owner = getpid();
    server->socket = -1;
    server->failed = true;
    if (!ends_make(ends)) {
        return;
    }
    server->failed = !start_tool(arguments, ends[1], ends[1], &server->child);
    server->socket = ends[0];
    (void)close(ends[1]);
}

static struct server *server_of(const char *file) {
    struct server *server;

    for (size_t i = 0; i < SERVER_COUNT; i++) {
        if (servers[i].owner == getpid() && strcmp(servers[i].file, file) == 0) {
            return &servers[i];
        }
    }
    server = &servers[server_next++ % SERVER_COUNT];
    if (server->owner != 0 && server->socket >= 0) {
        (void)close(server->socket);
    }
    (void)snprintf(server->file, sizeof(server->file), "%s", file);
    server_start(server);
    return server;
}

enum answer {
    ANSWER_GOOD,
    ANSWER_ENDED, /* the tool is gone */
    ANSWER_BAD,   /* it is silent, or talks rubbish */
};

/* Reads one line with its end, not a longer one. */
static enum answer read_line(int socket, uint64_t until_ns, char *line, size_t size) {
    size_t used = 0;

    while (used + 1 < size && (used == 0 || line[used - 1] != '\n')) {
        if (!await(socket, until_ns)) {
            return ANSWER_BAD;
        }
        if (read(socket, line + used, 1) != 1) {
            return ANSWER_ENDED;
        }
        used++;
    }
    line[used] = '\0';
    return line[used - 1] == '\n' ? ANSWER_GOOD : ANSWER_BAD;
}

/* All lines up to the next one of an address. */
static enum answer read_answer(int socket, uint64_t until_ns, char *output, size_t size) {
    char line[2 * PATH_BYTES];
    size_t used = 0;

    for (int i = 0; i < ANSWER_LINES_MAX; i++) {
        enum answer answer = read_line(socket, until_ns, line, sizeof(line));
        int length;

        if (answer != ANSWER_GOOD || strncmp(line, "0x", 2) == 0) {
            return answer;
        }
        length = snprintf(output + used, size - used, "%s", line);
        used += (size_t)length < size - used ? (size_t)length : 0;
        output[used] = '\0';
    }
    return ANSWER_BAD;
}

/*
 * The question is followed by one for address 0, which is no code: the answer ends where that
 * one's begins. Each answer begins with a line of its address.
 */
static enum answer server_ask(const struct server *server, uintptr_t offset, char *output,
                              size_t size) {
    uint64_t until_ns = wait_end_ns();
    char line[2 * PATH_BYTES];
    enum answer answer = ANSWER_ENDED;
    int length = snprintf(line, sizeof(line), "0x%llx\n0x0\n", (unsigned long long)offset);

    if (send(server->socket, line, (size_t)length, MSG_NOSIGNAL) == length) {
        answer = read_line(server->socket, until_ns, line, sizeof(line));
    }
    if (answer == ANSWER_GOOD && strncmp(line, "0x", 2) != 0) {
        answer = ANSWER_BAD;
    }
    if (answer == ANSWER_GOOD) {
        answer = read_answer(server->socket, until_ns, output, size);
    }
    for (int i = 0; answer == ANSWER_GOOD && i < 2; i++) {
        answer = read_line(server->socket, until_ns, line, sizeof(line));
        answer = answer == ANSWER_GOOD && line[0] != '?' ? ANSWER_BAD : answer;
    }
    return answer;
}

static bool ask_again(const char *file, uintptr_t offset, char *output, size_t size) {
    struct server *server;
    enum answer answer;

    if (known()->is_given_up[TOOL_SERVER]) {
        return false;
    }
    server = server_of(file);
    if (server->failed) {
        return false;
    }
    answer = server_ask(server, offset, output, size);
    if (answer != ANSWER_GOOD) {
        server->failed = true;
        end_tool(server->child);
    }
    if (answer == ANSWER_BAD) {
        give_up(TOOL_SERVER);
    }
    return answer == ANSWER_GOOD;
}

bool sim_symbolizer_ask(const char *file, uintptr_t base, uintptr_t code, char *output,
                        size_t size) {
    char object[PATH_BYTES + 8], offset[32];

    output[0] = '\0';
    if (ask_again(file, code - base, output, size)) {
        return output[0] != '\0';
    }
    (void)snprintf(object, sizeof(object), "--obj=%s", file);
    (void)snprintf(offset, sizeof(offset), "0x%llx", (unsigned long long)(code - base));
    {
        char *const symbolizer[] = {"llvm-symbolizer", object, offset, NULL};

        if (run_tool(symbolizer, output, size)) {
            return true;
        }
    }
    output[0] = '\0';
    say_missing();
    return false;
}
#endif
