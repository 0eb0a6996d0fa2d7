/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Credits of both sides together. All orders of sending, arriving and granting are walked: nobody
 * is ever stuck with something to send, and nobody grants for ever.
 */
#include "support.h"

#include "smbd_credit.h"

#define FLIGHT_MAX 16u
#define TARGET_MAX 5u

struct side {
    SMBD_CREDITS credits;
    ULONG pending;            /* messages to send */
    ULONG flight_count;       /* messages on their way to the other side */
    UCHAR flight[FLIGHT_MAX]; /* what each grants */
};

struct pair {
    struct side side[2];
};

/* States seen: open addressing over their bytes. `open`: on the path that is walked now. */
#define SEEN_MAX (1u << 18)
static struct {
    struct pair pair;
    BOOLEAN used;
    BOOLEAN open;
} seen[SEEN_MAX];

static size_t seen_slot(const struct pair *pair) {
    const UCHAR *bytes = (const UCHAR *)pair;
    uint64_t hash = 14695981039346656037u;

    for (size_t i = 0; i < sizeof(*pair); i++) {
        hash = (hash ^ bytes[i]) * 1099511628211u;
    }
    for (size_t at = (size_t)(hash % SEEN_MAX);; at = (at + 1) % SEEN_MAX) {
        if (!seen[at].used || memcmp(&seen[at].pair, pair, sizeof(*pair)) == 0) {
            return at;
        }
    }
}

static void send(struct side *side, BOOLEAN is_data) {
    assert_true(side->flight_count < FLIGHT_MAX);
    side->flight[side->flight_count++] = (UCHAR)CreditsSpend(&side->credits);
    side->pending -= is_data ? 1 : 0;
    assert_true(side->credits.Granted <= side->credits.Posted);
}

/* What the pump does whenever something has changed. */
static void pump(struct side *side) {
    while (side->pending != 0 && CreditsMaySend(&side->credits)) {
        send(side, TRUE);
    }
    if (side->pending == 0 && CreditsPromptly(&side->credits) && CreditsMaySend(&side->credits)) {
        send(side, FALSE);
    }
}

/* The first message on its way to `side` arrives. */
static void arrive(struct pair *pair, unsigned to) {
    struct side *from = &pair->side[1 - to];
    ULONG granted = from->flight[0];

    memmove(from->flight, from->flight + 1, sizeof(from->flight) - 1);
    from->flight_count--;
    from->flight[from->flight_count] = 0;
    assert_true(CreditsReceived(&pair->side[to].credits, granted, from->credits.Target));
    pump(&pair->side[to]);
}

static void walk(const struct pair *pair) {
    size_t slot = seen_slot(pair);
    BOOLEAN moved = FALSE;

    assert_false(seen[slot].open); /* a cycle: granting for ever */
    if (seen[slot].used) {
        return;
    }
    seen[slot].used = TRUE;
    seen[slot].open = TRUE;
    memcpy(&seen[slot].pair, pair, sizeof(*pair));
    for (unsigned i = 0; i < 2; i++) {
        struct pair next;

        if (pair->side[1 - i].flight_count != 0) {
            memcpy(&next, pair, sizeof(next));
            arrive(&next, i);
            walk(&next);
            moved = TRUE;
        }
    }
    if (!moved) {
        assert_int_equal(pair->side[0].pending, 0);
        assert_int_equal(pair->side[1].pending, 0);
    }
    seen[slot].open = FALSE;
}

static void walk_from(ULONG targets[2], ULONG granted, ULONG pending[2]) {
    struct pair pair;

    memset(seen, 0, sizeof(seen));
    memset(&pair, 0, sizeof(pair));
    for (unsigned i = 0; i < 2; i++) {
        struct side *side = &pair.side[i];

        side->credits.ReceiveMax = TARGET_MAX;
        CreditsTarget(&side->credits, targets[1 - i]);
        side->credits.Posted = side->credits.Target;
        side->pending = pending[i];
    }
    /* As after the negotiation: the client, side 0, holds what was granted; the server nothing. */
    pair.side[0].credits.Send = granted;
    pair.side[1].credits.Granted = granted;
    pump(&pair.side[0]);
    walk(&pair);
}

static void nobody_is_stuck_and_nobody_grants_for_ever(void **state) {
    (void)state;
    for (ULONG client = 1; client <= TARGET_MAX; client++) {
        for (ULONG server = 1; server <= TARGET_MAX; server += 2) {
            for (ULONG requests = 1; requests <= 4; requests++) {
                ULONG targets[2] = {client, server};
                ULONG pending[2] = {requests, requests * 2 - 1};

                walk_from(targets, client, pending);
            }
        }
    }
}

static void last_credit_goes_only_with_a_grant(void **state) {
    SMBD_CREDITS credits = {.ReceiveMax = 10, .Target = 4, .Posted = 4, .Granted = 4, .Send = 1};

    (void)state;
    assert_false(CreditsMaySend(&credits));
    credits.Send = 2;
    assert_true(CreditsMaySend(&credits));
    credits.Send = 1;
    credits.Granted = 3;
    assert_true(CreditsMaySend(&credits));
    assert_int_equal(CreditsSpend(&credits), 1);
    assert_int_equal(credits.Send, 0);
    assert_false(CreditsMaySend(&credits));
}

static void no_more_is_granted_than_is_posted_or_wanted(void **state) {
    SMBD_CREDITS credits = {.ReceiveMax = 10, .Target = 8, .Posted = 5, .Granted = 0, .Send = 3};

    (void)state;
    assert_int_equal(CreditsGrantable(&credits), 5);
    credits.Posted = 10;
    assert_int_equal(CreditsGrantable(&credits), 8);
    assert_int_equal(CreditsSpend(&credits), 8);
    assert_int_equal(CreditsGrantable(&credits), 0);
    /* The peer lowers its wish: nothing is taken back, nothing is added. */
    assert_true(CreditsReceived(&credits, 0, 4));
    assert_int_equal(credits.Target, 4);
    assert_int_equal(CreditsGrantable(&credits), 0);
    CreditsTarget(&credits, 65535);
    assert_int_equal(credits.Target, 10);
}

static void message_without_a_credit_is_told(void **state) {
    SMBD_CREDITS credits = {.ReceiveMax = 4, .Target = 4, .Posted = 4, .Granted = 1, .Send = 0};

    (void)state;
    assert_true(CreditsReceived(&credits, 3, 4));
    assert_int_equal(credits.Send, 3);
    assert_false(CreditsReceived(&credits, 3, 4));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(nobody_is_stuck_and_nobody_grants_for_ever),
        cmocka_unit_test(last_credit_goes_only_with_a_grant),
        cmocka_unit_test(no_more_is_granted_than_is_posted_or_wanted),
        cmocka_unit_test(message_without_a_credit_is_told),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
