/* SPDX-License-Identifier: Apache-2.0 */
/* The rules of received messages, at their edges. */
#include "support.h"

#include "smbd_check.h"

static const SMBD_LIMITS own = {255, 255, 1364, 8192, 1u << 20, 1u << 20, 8u << 20, MAXULONG};

static const SMBD_NEGOTIATE_REQUEST good_request = {0x0100, 0x0100, 10, 1024, 1024, 131072};

static PCSTR judge_request(const SMBD_NEGOTIATE_REQUEST *request, ULONG bytes, NTSTATUS *answer) {
    SMBD_NEGOTIATE_REQUEST seen;
    UCHAR message[512];

    memset(message, 0, sizeof(message));
    WirePutRequest(message, request);
    return CheckNegotiateRequest(message, bytes, &own, &seen, answer);
}

static void short_negotiate_request_ends_the_connection_and_padding_does_not(void **state) {
    NTSTATUS answer;

    (void)state;
    assert_non_null(judge_request(&good_request, 19, &answer));
    assert_int_equal(answer, STATUS_SUCCESS);
    assert_null(judge_request(&good_request, 20, &answer));
    assert_null(judge_request(&good_request, 512, &answer));
}

static void versions_must_include_1_0_0(void **state) {
    static const struct {
        USHORT low;
        USHORT high;
        BOOLEAN good;
    } cases[] = {{0x0101, 0xffff, FALSE}, {0x0000, 0x00ff, FALSE}, {0x0100, 0xffff, TRUE},
                 {0x0000, 0x0100, TRUE},  {0x00ff, 0x0101, TRUE},  {0x0100, 0x0100, TRUE}};

    (void)state;
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        SMBD_NEGOTIATE_REQUEST request = good_request;
        NTSTATUS answer;
        PCSTR reason;

        request.MinVersion = cases[i].low;
        request.MaxVersion = cases[i].high;
        reason = judge_request(&request, 20, &answer);
        assert_int_equal(reason == NULL, cases[i].good);
        assert_int_equal(answer, cases[i].good ? STATUS_SUCCESS : STATUS_NOT_SUPPORTED);
    }
}

static void request_floors_are_kept_to_the_byte(void **state) {
    SMBD_NEGOTIATE_REQUEST request = good_request;
    NTSTATUS answer;

    (void)state;
    request.CreditsRequested = 0;
    assert_non_null(judge_request(&request, 20, &answer));
    request.CreditsRequested = 65535;
    assert_null(judge_request(&request, 20, &answer));
    request.MaxReceiveSize = 127;
    assert_non_null(judge_request(&request, 20, &answer));
    request.MaxReceiveSize = 128;
    assert_null(judge_request(&request, 20, &answer));
    request.MaxFragmentedSize = 131071;
    assert_non_null(judge_request(&request, 20, &answer));
    request.MaxFragmentedSize = 131072;
    assert_null(judge_request(&request, 20, &answer));
}

static void preferred_send_size_is_refused_only_if_the_server_is_told_to(void **state) {
    SMBD_NEGOTIATE_REQUEST request = good_request;
    SMBD_NEGOTIATE_REQUEST seen;
    SMBD_LIMITS limits = own;
    NTSTATUS answer;
    UCHAR message[20];

    (void)state;
    request.PreferredSendSize = 8137;
    WirePutRequest(message, &request);
    assert_null(CheckNegotiateRequest(message, 20, &limits, &seen, &answer));
    limits.PreferredSendMax = 8136;
    assert_non_null(CheckNegotiateRequest(message, 20, &limits, &seen, &answer));
    assert_int_equal(answer, STATUS_INSUFFICIENT_RESOURCES);
}

static ULONG agreed_receive_size(ULONG preferred) {
    SMBD_NEGOTIATE_REQUEST request = good_request;
    SMBD_LIMITS limits = own;

    request.PreferredSendSize = preferred;
    AgreeAsServer(&limits, &request);
    return limits.MaxReceiveSize;
}

static void server_lowers_its_receive_size_but_never_below_128(void **state) {
    (void)state;
    assert_int_equal(agreed_receive_size(0), 128);
    assert_int_equal(agreed_receive_size(127), 128);
    assert_int_equal(agreed_receive_size(128), 128);
    assert_int_equal(agreed_receive_size(1364), 1364);
    assert_int_equal(agreed_receive_size(0xffffffff), 8192);
}

static void server_sends_no_more_than_the_client_receives(void **state) {
    SMBD_NEGOTIATE_REQUEST request = good_request;
    SMBD_LIMITS limits = own;

    (void)state;
    request.MaxReceiveSize = 128;
    AgreeAsServer(&limits, &request);
    assert_int_equal(limits.MaxSendSize, 128);
    assert_int_equal(limits.MaxFragmentedSendSize, 131072);
    limits = own;
    request.MaxReceiveSize = 0xffffffff;
    AgreeAsServer(&limits, &request);
    assert_int_equal(limits.MaxSendSize, 1364);
}

static SMBD_NEGOTIATE_RESPONSE good_response(void) {
    SMBD_NEGOTIATE_RESPONSE response;

    memset(&response, 0, sizeof(response));
    response.MinVersion = 0x0100;
    response.MaxVersion = 0x0100;
    response.NegotiatedVersion = 0x0100;
    response.CreditsRequested = 255;
    response.CreditsGranted = 255;
    response.MaxReadWriteSize = 16u << 20;
    response.PreferredSendSize = 1364;
    response.MaxReceiveSize = 8192;
    response.MaxFragmentedSize = 1u << 20;
    return response;
}

static BOOLEAN response_passes(const SMBD_NEGOTIATE_RESPONSE *response, ULONG bytes) {
    SMBD_NEGOTIATE_RESPONSE seen;
    UCHAR message[SMBD_NEGOTIATE_RESPONSE_BYTES];

    WirePutResponse(message, response);
    return CheckNegotiateResponse(message, bytes, &own, &seen) == NULL;
}

static void client_refuses_every_wrong_response(void **state) {
    SMBD_NEGOTIATE_RESPONSE response = good_response();

    (void)state;
    assert_true(response_passes(&response, 32));
    assert_false(response_passes(&response, 31));
    response.NegotiatedVersion = 0x0101;
    assert_false(response_passes(&response, 32));
    response = good_response();
    response.Status = STATUS_NOT_SUPPORTED;
    assert_false(response_passes(&response, 32));
    response = good_response();
    response.MaxReceiveSize = 127;
    assert_false(response_passes(&response, 32));
    response = good_response();
    response.MaxFragmentedSize = 131071;
    assert_false(response_passes(&response, 32));
    response = good_response();
    response.CreditsGranted = 0;
    assert_false(response_passes(&response, 32));
    response = good_response();
    response.CreditsRequested = 0;
    assert_false(response_passes(&response, 32));
    response = good_response();
    response.PreferredSendSize = 8193;
    assert_false(response_passes(&response, 32));
}

static void client_agrees_to_the_lower_of_both(void **state) {
    SMBD_NEGOTIATE_RESPONSE response = good_response();
    SMBD_LIMITS limits = own;

    (void)state;
    AgreeAsClient(&limits, &response);
    assert_int_equal(limits.MaxSendSize, 1364);
    assert_int_equal(limits.MaxReceiveSize, 1364);
    assert_int_equal(limits.MaxReadWriteSize, 8388608);
}

static BOOLEAN data_passes(const SMBD_HEADER *header, ULONG bytes) {
    UCHAR message[64];
    SMBD_HEADER seen;

    memset(message, 0, sizeof(message));
    WirePutHeader(message, header);
    return CheckData(message, bytes, &own, &seen) == NULL;
}

static void short_data_message_or_one_without_a_credit_request_is_refused(void **state) {
    SMBD_HEADER header = {1, 0, 0, 0, 0, 0};

    (void)state;
    assert_false(data_passes(&header, 19));
    assert_true(data_passes(&header, 20));
    header.CreditsRequested = 0;
    assert_false(data_passes(&header, 20));
}

static void data_offset_is_aligned_and_inside_the_message(void **state) {
    SMBD_HEADER header = {1, 0, 0, 0, 24, 8};

    (void)state;
    assert_true(data_passes(&header, 32));
    header.DataOffset = 23;
    assert_false(data_passes(&header, 32));
    header.DataOffset = 25;
    assert_false(data_passes(&header, 40));
    header.DataOffset = 32;
    assert_false(data_passes(&header, 32));
    header.DataOffset = 0xfffffff8;
    assert_false(data_passes(&header, 32));
    header.DataOffset = 16;
    assert_false(data_passes(&header, 32));
}

static void sums_do_not_wrap(void **state) {
    SMBD_HEADER header = {1, 0, 0, 0, 24, 9};

    (void)state;
    assert_false(data_passes(&header, 32));
    header.DataLength = 0xffffffff;
    assert_false(data_passes(&header, 32));
    header.DataLength = 8;
    header.RemainingDataLength = (1u << 20) - 8;
    assert_true(data_passes(&header, 32));
    header.RemainingDataLength++;
    assert_false(data_passes(&header, 32));
    header.RemainingDataLength = 0xffffffff;
    assert_false(data_passes(&header, 32));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(short_negotiate_request_ends_the_connection_and_padding_does_not),
        cmocka_unit_test(versions_must_include_1_0_0),
        cmocka_unit_test(request_floors_are_kept_to_the_byte),
        cmocka_unit_test(preferred_send_size_is_refused_only_if_the_server_is_told_to),
        cmocka_unit_test(server_lowers_its_receive_size_but_never_below_128),
        cmocka_unit_test(server_sends_no_more_than_the_client_receives),
        cmocka_unit_test(client_refuses_every_wrong_response),
        cmocka_unit_test(client_agrees_to_the_lower_of_both),
        cmocka_unit_test(short_data_message_or_one_without_a_credit_request_is_refused),
        cmocka_unit_test(data_offset_is_aligned_and_inside_the_message),
        cmocka_unit_test(sums_do_not_wrap),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
