/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Tools of the host that know the line of a code address: addr2line, else llvm-symbolizer; atos on
 * macOS. Reading a module's debug information is most of their work, so addr2line is started once
 * per module and asked over a socket; the others are started once per address.
 */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <spawn.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "host_private.h"

#define PATH_BYTES 512u

extern char **environ; /* POSIX has no header for it */

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

/* Reads all that `file` gives, cut to `size`. */
static void read_all(int file, char *buffer, size_t size) {
    size_t used = 0;
    char rest[256];

    for (;;) {
        bool full = used + 1 >= size;
        ssize_t got =
            full ? read(file, rest, sizeof(rest)) : read(file, buffer + used, size - used - 1);

        if (got < 0 && errno == EINTR) {
            continue;
        }
        if (got <= 0) {
            break;
        }
        used += full ? 0 : (size_t)got;
    }
    buffer[used] = '\0';
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

    if (!ends_make(ends)) {
        return false;
    }
    started = start_tool(arguments, ends[1], ends[1], &child);
    (void)close(ends[1]);
    if (started) {
        read_all(ends[0], output, size);
        while (waitpid(child, &status, 0) < 0 && errno == EINTR) {
        }
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

        return run_tool(atos, output, size);
    }
}
#else
#define SERVER_COUNT 8u
/* For a line; longer than any module's debug information takes to be read. */
#define SERVER_WAIT_MS 20000
/* Of one answer: more functions drawn into each other than any compiler does. */
#define ANSWER_LINES_MAX 256

struct server {
    char file[PATH_BYTES];
    pid_t owner; /* a forked process has the socket, too, and must not use it */
    int socket;
    bool failed;
};

static struct server servers[SERVER_COUNT];
static size_t server_next;

static void server_start(struct server *server) {
    char *const arguments[] = {"addr2line", "-a", "-f", "-i", "-e", server->file, NULL};
    pid_t child;
    int ends[2];

    server->owner = getpid();
    server->socket = -1;
    server->failed = true;
    if (!ends_make(ends)) {
        return;
    }
    server->failed = !start_tool(arguments, ends[1], ends[1], &child);
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

/* Reads one line with its end; false: none within the time, or one too long. */
static bool read_line(int socket, char *line, size_t size) {
    struct pollfd waits = {.fd = socket, .events = POLLIN};
    size_t used = 0;

    while (used + 1 < size && (used == 0 || line[used - 1] != '\n')) {
        if (poll(&waits, 1, SERVER_WAIT_MS) <= 0 || read(socket, line + used, 1) != 1) {
            return false;
        }
        used++;
    }
    line[used] = '\0';
    return line[used - 1] == '\n';
}

/* All lines up to the next one of an address; false: none came, or more than an answer has. */
static bool read_answer(int socket, char *output, size_t size) {
    char line[2 * PATH_BYTES];
    size_t used = 0;

    for (int i = 0; i < ANSWER_LINES_MAX && read_line(socket, line, sizeof(line)); i++) {
        int length;

        if (strncmp(line, "0x", 2) == 0) {
            return true;
        }
        length = snprintf(output + used, size - used, "%s", line);
        used += (size_t)length < size - used ? (size_t)length : 0;
        output[used] = '\0';
    }
    return false;
}

/*
 * The question is followed by one for address 0, which is no code: the answer ends where that
 * one's begins. Each answer begins with a line of its address.
 */
static bool server_ask(const struct server *server, uintptr_t offset, char *output, size_t size) {
    char line[2 * PATH_BYTES];
    bool good;
    int length = snprintf(line, sizeof(line), "0x%llx\n0x0\n", (unsigned long long)offset);

    good = send(server->socket, line, (size_t)length, MSG_NOSIGNAL) == length &&
           read_line(server->socket, line, sizeof(line)) &&
           read_answer(server->socket, output, size);
    for (int i = 0; good && i < 2; i++) {
        good = read_line(server->socket, line, sizeof(line)) && line[0] == '?';
    }
    return good;
}

static bool ask_again(const char *file, uintptr_t offset, char *output, size_t size) {
    struct server *server = server_of(file);

    server->failed = server->failed || !server_ask(server, offset, output, size);
    return !server->failed;
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

        return run_tool(symbolizer, output, size);
    }
}
#endif
