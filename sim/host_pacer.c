/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Pacing for people who watch: virtual time is held back to a share of real time. The run asks
 * between steps whether its virtual time is due; if it is not, it leaves sim_run and waits in a
 * turn of the loop. Pacing decides nothing: the same steps come in the same order.
 */
#include <stdlib.h>

#include <uv.h>

#include <sim/host.h>

struct sim_pacer {
    uint32_t ratio_ppm;
    uint64_t started_wall_ns;
    uint64_t started_virtual_ns;
    bool has_started;
    uv_loop_t loop;
    uv_timer_t timer;
};

struct sim_pacer *sim_pacer_create(uint32_t ratio_ppm) {
    struct sim_pacer *pacer = calloc(1, sizeof(*pacer));
    SIM_ASSERT(pacer != NULL);
    pacer->ratio_ppm = ratio_ppm;
    SIM_ASSERT(uv_loop_init(&pacer->loop) == 0);
    SIM_ASSERT(uv_timer_init(&pacer->loop, &pacer->timer) == 0);
    return pacer;
}

void sim_pacer_destroy(struct sim_pacer *pacer) {
    if (pacer == NULL) {
        return;
    }
    uv_close((uv_handle_t *)&pacer->timer, NULL);
    (void)uv_run(&pacer->loop, UV_RUN_DEFAULT);
    SIM_ASSERT(uv_loop_close(&pacer->loop) == 0);
    free(pacer);
}

/* How much real time is missing until `now_ns` of virtual time is due. */
static uint64_t missing_ns(struct sim_pacer *pacer, uint64_t now_ns) {
    uint64_t wall_ns = sim_host_wall_ns();
    if (!pacer->has_started || now_ns < pacer->started_virtual_ns) {
        pacer->has_started = true;
        pacer->started_wall_ns = wall_ns;
        pacer->started_virtual_ns = now_ns;
    }
    /* In microseconds, so that days of virtual time do not overflow. */
    uint64_t virtual_us = (now_ns - pacer->started_virtual_ns) / SIM_NS_PER_US;
    uint64_t due_ns = virtual_us * 1000000 / pacer->ratio_ppm * SIM_NS_PER_US;
    uint64_t passed_ns = wall_ns - pacer->started_wall_ns;
    return due_ns > passed_ns ? due_ns - passed_ns : 0;
}

bool sim_pacer_due(void *opaque, uint64_t now_ns) {
    struct sim_pacer *pacer = opaque;
    return pacer == NULL || pacer->ratio_ppm == 0 || missing_ns(pacer, now_ns) == 0;
}

static void on_timer(uv_timer_t *timer) {
    (void)timer;
}

void sim_pacer_wait(struct sim_pacer *pacer, uint64_t now_ns) {
    const uint64_t turn_ns_max = 100 * SIM_NS_PER_MS;
    while (!sim_pacer_due(pacer, now_ns) && !sim_host_interrupted()) {
        uint64_t wait_ns = missing_ns(pacer, now_ns);
        if (wait_ns > turn_ns_max) {
            wait_ns = turn_ns_max;
        }
        (void)uv_timer_start(&pacer->timer, on_timer, (wait_ns + SIM_NS_PER_MS - 1) / SIM_NS_PER_MS,
                             0);
        (void)uv_run(&pacer->loop, UV_RUN_ONCE);
    }
}
