/* SPDX-License-Identifier: Apache-2.0 */
/* Fragments become messages, whatever comes in between. */
#include "support.h"

#include "smbd_stream.h"

static SMBD_STREAM stream;

static int begin(void **state) {
    (void)state;
    StreamInit(&stream, FALSE);
    return 0;
}

static int end(void **state) {
    (void)state;
    StreamDeinit(&stream);
    return 0;
}

/* The payload is `length` bytes from `first` upwards. */
static PCSTR feed(ULONG remaining, ULONG length, UCHAR first, UINT32 token, PSMBD_INBOUND *whole) {
    SMBD_HEADER header = {1, 0, 0, remaining, length != 0 ? SMBD_DATA_OFFSET : 0, length};
    UCHAR payload[256];

    for (ULONG i = 0; i < length; i++) {
        payload[i] = (UCHAR)(first + i);
    }
    return StreamFragment(&stream, &header, payload, token, whole);
}

static void assert_message(PSMBD_INBOUND inbound, ULONG length) {
    assert_non_null(inbound);
    assert_int_equal(inbound->Length, length);
    for (ULONG i = 0; i < length; i++) {
        assert_int_equal(inbound->Data[i], (UCHAR)i);
    }
}

static void single_fragment_is_a_message(void **state) {
    PSMBD_INBOUND whole;

    (void)state;
    assert_null(feed(0, 100, 0, 0, &whole));
    assert_message(whole, 100);
    StreamReturn(&stream, whole);
}

static void empty_message_is_nothing_alone_and_between_fragments(void **state) {
    PSMBD_INBOUND whole;

    (void)state;
    assert_null(feed(0, 0, 0, 0, &whole));
    assert_null(whole);
    assert_null(feed(10, 20, 0, 0, &whole));
    assert_null(feed(0, 0, 0, 0, &whole));
    assert_null(whole);
    assert_null(feed(0, 10, 20, 0, &whole));
    assert_message(whole, 30);
    StreamReturn(&stream, whole);
}

static void sequence_may_begin_and_go_on_with_fragments_of_no_bytes(void **state) {
    PSMBD_INBOUND whole;

    (void)state;
    assert_null(feed(30, 0, 0, 0, &whole));
    assert_null(feed(29, 1, 0, 0, &whole));
    assert_null(feed(29, 0, 0, 0, &whole));
    assert_null(whole);
    assert_null(feed(0, 29, 1, 0, &whole));
    assert_message(whole, 30);
    StreamReturn(&stream, whole);
}

static void wrong_accounts_end_the_connection(void **state) {
    PSMBD_INBOUND whole;

    (void)state;
    assert_null(feed(10, 20, 0, 0, &whole));
    assert_non_null(feed(0, 9, 20, 0, &whole));
    StreamDeinit(&stream);
    begin(NULL);
    assert_null(feed(10, 20, 0, 0, &whole));
    assert_non_null(feed(0, 11, 20, 0, &whole));
    StreamDeinit(&stream);
    begin(NULL);
    assert_null(feed(10, 20, 0, 0, &whole));
    assert_non_null(feed(5, 10, 20, 0, &whole));
    assert_null(whole);
}

static void strict_stream_wants_the_exact_rest_and_a_plain_one_does_not(void **state) {
    PSMBD_INBOUND whole;

    (void)state;
    assert_null(feed(20, 10, 0, 0, &whole));
    assert_null(feed(11, 10, 10, 0, &whole));
    assert_null(feed(0, 10, 20, 0, &whole));
    assert_message(whole, 30);
    StreamReturn(&stream, whole);
    stream.IsStrict = TRUE;
    assert_null(feed(20, 10, 0, 0, &whole));
    assert_non_null(feed(11, 10, 10, 0, &whole));
}

static void strict_stream_wants_it_of_empty_messages_too(void **state) {
    PSMBD_INBOUND whole;

    (void)state;
    stream.IsStrict = TRUE;
    assert_null(feed(0, 0, 0, 0, &whole));
    assert_null(feed(10, 10, 0, 0, &whole));
    assert_null(feed(10, 0, 0, 0, &whole));
    assert_non_null(feed(0, 0, 0, 0, &whole));
}

static void last_invalidated_token_of_a_message_is_told(void **state) {
    PSMBD_INBOUND whole;

    (void)state;
    assert_null(feed(20, 10, 0, 7, &whole));
    assert_null(feed(10, 10, 10, 8, &whole));
    assert_null(feed(0, 10, 20, 0, &whole));
    assert_int_equal(whole->InvalidatedToken, 8);
    StreamReturn(&stream, whole);
    assert_null(feed(0, 10, 0, 0, &whole));
    assert_int_equal(whole->InvalidatedToken, 0);
    StreamReturn(&stream, whole);
}

static void blocks_are_used_again(void **state) {
    PSMBD_INBOUND first;
    PSMBD_INBOUND second;

    (void)state;
    assert_null(feed(0, 100, 0, 0, &first));
    StreamReturn(&stream, first);
    assert_null(feed(0, 200, 0, 0, &second));
    assert_ptr_equal(first, second);
    StreamReturn(&stream, second);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, begin, end)

int main(void) {
    const struct CMUnitTest tests[] = {
        TEST(single_fragment_is_a_message),
        TEST(empty_message_is_nothing_alone_and_between_fragments),
        TEST(sequence_may_begin_and_go_on_with_fragments_of_no_bytes),
        TEST(wrong_accounts_end_the_connection),
        TEST(strict_stream_wants_the_exact_rest_and_a_plain_one_does_not),
        TEST(strict_stream_wants_it_of_empty_messages_too),
        TEST(last_invalidated_token_of_a_message_is_told),
        TEST(blocks_are_used_again),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
