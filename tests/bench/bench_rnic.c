/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Packets per second of CPU time, and simulated goodput, of a stream of 1 MiB WRITEs between two
 * devices over one 100 Gb/s link: bytes moved from and to host memory, ICRC computed and checked,
 * trace and digest on. The driver keeps sixteen requests posted and posts again in its interrupt.
 */
#include <stdio.h>
#include <time.h>

#include "../unit/rnic/host.h"

#define ROUNDS 3
#define MESSAGE_BYTES (1024u * 1024u)
#define DEPTH 16u

static uint64_t cpu_ns(void) {
    struct timespec time;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
    return (uint64_t)time.tv_sec * 1000000000u + (uint64_t)time.tv_nsec;
}

struct stream {
    struct host *host;
    struct buffer from;
    struct buffer to;
    uint32_t posted;
    uint32_t done;
    uint32_t count;
    uint64_t end_ns;
};

static void post(struct stream *stream) {
    while (stream->posted != stream->count && stream->posted - stream->done < DEPTH) {
        post_transfer(&stream->host->qp, RNIC_WQE_WRITE, RNIC_WQE_SIGNALLED,
                      sge(&stream->from, 0, MESSAGE_BYTES), stream->to.base, stream->to.key);
        stream->posted++;
    }
}

static void on_completion(void *context, uint32_t vector) {
    struct stream *stream = context;
    struct host *host = stream->host;
    struct rnic_eqe eqe;
    struct rnic_cqe cqe;
    (void)vector;
    while (eq_poll(host, &eqe))
        continue;
    while (cq_poll(&host->send_cq, &cqe)) {
        SIM_ASSERT(cqe.status == RNIC_CQE_OK);
        stream->done++;
    }
    stream->end_ns = sim_now_ns(host->world);
    doorbell(host, RNIC_DOORBELL_CQ, host->send_cq.number, RNIC_ARM_ANY, host->send_cq.consumer);
    post(stream);
}

static struct buffer buffer_make(struct host *host) {
    return buffer_register(host, pages_take(host, MESSAGE_BYTES), 0x100000, MESSAGE_BYTES,
                           RIGHTS_ALL);
}

static void run(uint8_t path_mtu, uint32_t messages) {
    struct pair *pair = pair_plain();
    struct host *a = &pair->hosts[0];
    struct host *b = &pair->hosts[1];
    qp_connect(&a->qp, &b->qp, &(struct link_up){.path_mtu = path_mtu});
    struct stream *stream = sim_alloc(pair->world, sizeof *stream);
    *stream =
        (struct stream){.host = a, .from = buffer_make(a), .to = buffer_make(b), .count = messages};
    for (uint32_t i = 0; i < MESSAGE_BYTES; i++)
        stream->from.bytes[i] = (uint8_t)(i * 5 + (i >> 9));
    a->bus->interrupt = on_completion;
    a->bus->interrupt_context = stream;
    doorbell(a, RNIC_DOORBELL_CQ, a->send_cq.number, RNIC_ARM_ANY, 0);
    uint64_t start_ns = sim_now_ns(pair->world);
    uint64_t steps = sim_step_count(pair->world);
    uint64_t begin = cpu_ns();
    post(stream);
    run_all(pair);
    uint64_t spent_ns = cpu_ns() - begin;
    SIM_ASSERT(stream->done == messages);
    SIM_ASSERT(memcmp(stream->from.bytes, stream->to.bytes, MESSAGE_BYTES) == 0);
    uint64_t packets = counter(a, RNIC_COUNTER_FRAMES_SENT);
    uint64_t all = packets + counter(b, RNIC_COUNTER_FRAMES_SENT);
    double seconds = (double)spent_ns / 1e9;
    double simulated = (double)(stream->end_ns - start_ns) / 1e9;
    printf("path MTU %u: %.0f data packets/s (%.0f ns each, %.2f events each), %llu acks, goodput "
           "%.2f Gb/s simulated\n",
           wire_mtu_bytes(path_mtu), (double)packets / seconds, (double)spent_ns / (double)packets,
           (double)(sim_step_count(pair->world) - steps) / (double)packets,
           (unsigned long long)(all - packets),
           (double)messages * MESSAGE_BYTES * 8 / simulated / 1e9);
    pair_destroy(pair);
}

int main(void) {
    for (int i = 0; i < ROUNDS; i++) {
        run(3, 1000);
        run(5, 1000);
    }
    return 0;
}
