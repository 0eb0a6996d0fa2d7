/* SPDX-License-Identifier: Apache-2.0 */
/* Every field of every message at its place. */
#include "support.h"

#include "smbd_wire.h"

static void negotiate_request_is_laid_out_as_specified(void **state) {
    static const UCHAR expected[SMBD_NEGOTIATE_REQUEST_BYTES] = {
        0x00, 0x01, 0x00, 0x01, 0x00, 0x00, 0xff, 0x00, 0x54, 0x05,
        0x00, 0x00, 0x00, 0x20, 0x00, 0x00, 0x00, 0x00, 0x10, 0x00};
    SMBD_NEGOTIATE_REQUEST request = {0x0100, 0x0100, 255, 1364, 8192, 1u << 20};
    SMBD_NEGOTIATE_REQUEST back;
    UCHAR bytes[SMBD_NEGOTIATE_REQUEST_BYTES];

    (void)state;
    memset(bytes, 0xee, sizeof(bytes));
    WirePutRequest(bytes, &request);
    assert_memory_equal(bytes, expected, sizeof(bytes));
    WireGetRequest(bytes, &back);
    assert_memory_equal(&request, &back, sizeof(back));
}

static void negotiate_response_is_laid_out_as_specified(void **state) {
    static const UCHAR expected[SMBD_NEGOTIATE_RESPONSE_BYTES] = {
        0x00, 0x01, 0x00, 0x01, 0x00, 0x01, 0x00, 0x00, 0xff, 0x00, 0x0a,
        0x00, 0x9a, 0x00, 0x00, 0xc0, 0x00, 0x00, 0x80, 0x00, 0x54, 0x05,
        0x00, 0x00, 0x55, 0x05, 0x00, 0x00, 0x00, 0x00, 0x10, 0x00};
    SMBD_NEGOTIATE_RESPONSE response;
    SMBD_NEGOTIATE_RESPONSE back;
    UCHAR bytes[SMBD_NEGOTIATE_RESPONSE_BYTES];

    (void)state;
    memset(&response, 0, sizeof(response));
    memset(&back, 0, sizeof(back));
    memset(bytes, 0xee, sizeof(bytes));
    response.MinVersion = 0x0100;
    response.MaxVersion = 0x0100;
    response.NegotiatedVersion = 0x0100;
    response.CreditsRequested = 255;
    response.CreditsGranted = 10;
    response.Status = STATUS_INSUFFICIENT_RESOURCES;
    response.MaxReadWriteSize = 8u << 20;
    response.PreferredSendSize = 1364;
    response.MaxReceiveSize = 1365;
    response.MaxFragmentedSize = 1u << 20;
    WirePutResponse(bytes, &response);
    assert_memory_equal(bytes, expected, sizeof(bytes));
    WireGetResponse(bytes, &back);
    assert_memory_equal(&response, &back, sizeof(back));
}

static void header_without_payload_has_20_bytes_and_with_payload_24(void **state) {
    static const UCHAR expected[SMBD_DATA_OFFSET] = {
        0x0a, 0x00, 0x02, 0x00, 0x01, 0x00, 0x00, 0x00, 0x44, 0x33, 0x22, 0x11,
        0x18, 0x00, 0x00, 0x00, 0x08, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00};
    SMBD_HEADER header = {10, 2, SMBD_FLAG_RESPONSE_REQUESTED, 0x11223344, SMBD_DATA_OFFSET, 8};
    SMBD_HEADER back;
    UCHAR bytes[SMBD_DATA_OFFSET];

    (void)state;
    memset(bytes, 0xee, sizeof(bytes));
    WirePutHeader(bytes, &header);
    assert_memory_equal(bytes, expected, sizeof(bytes));
    WireGetHeader(bytes, &back);
    assert_int_equal(back.CreditsRequested, header.CreditsRequested);
    assert_int_equal(back.CreditsGranted, header.CreditsGranted);
    assert_int_equal(back.Flags, header.Flags);
    assert_int_equal(back.RemainingDataLength, header.RemainingDataLength);
    assert_int_equal(back.DataOffset, header.DataOffset);
    assert_int_equal(back.DataLength, header.DataLength);
    memset(bytes, 0xee, sizeof(bytes));
    header.DataOffset = 0;
    header.DataLength = 0;
    WirePutHeader(bytes, &header);
    assert_int_equal(bytes[20], 0xee);
}

static void descriptor_is_laid_out_as_specified(void **state) {
    static const UCHAR expected[SMBD_DESCRIPTOR_BYTES] = {0x08, 0x07, 0x06, 0x05, 0x04, 0x03,
                                                          0x02, 0x01, 0x0d, 0x0c, 0x0b, 0x0a,
                                                          0x00, 0x10, 0x00, 0x00};
    SMBD_DESCRIPTOR descriptor = {0x0102030405060708, 0x0a0b0c0d, 4096};
    SMBD_DESCRIPTOR back;
    UCHAR bytes[SMBD_DESCRIPTOR_BYTES];

    (void)state;
    WirePutDescriptor(bytes, &descriptor);
    assert_memory_equal(bytes, expected, sizeof(bytes));
    WireGetDescriptor(bytes, &back);
    assert_memory_equal(&descriptor, &back, sizeof(back));
}

static void hail_names_a_session_or_none(void **state) {
    UCHAR bytes[SMBD_HAIL_BYTES + 4] = {0};

    (void)state;
    assert_int_equal(WireGetHail(bytes, sizeof(bytes)), 0);
    WirePutHail(bytes, 0x01020304);
    assert_int_equal(WireGetHail(bytes, sizeof(bytes)), 0x01020304);
    assert_int_equal(WireGetHail(bytes, SMBD_HAIL_BYTES), 0x01020304);
    assert_int_equal(WireGetHail(bytes, SMBD_HAIL_BYTES - 1), 0);
    bytes[0] ^= 1;
    assert_int_equal(WireGetHail(bytes, sizeof(bytes)), 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(negotiate_request_is_laid_out_as_specified),
        cmocka_unit_test(negotiate_response_is_laid_out_as_specified),
        cmocka_unit_test(header_without_payload_has_20_bytes_and_with_payload_24),
        cmocka_unit_test(descriptor_is_laid_out_as_specified),
        cmocka_unit_test(hail_names_a_session_or_none),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
