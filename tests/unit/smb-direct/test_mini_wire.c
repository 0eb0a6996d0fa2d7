/* SPDX-License-Identifier: Apache-2.0 */
/* Requests as bytes; content that tells where it belongs. */
#include "support.h"

#include "mini_wire.h"

static void header_comes_back_as_it_was(void **state) {
    MINI_HEADER header;
    MINI_HEADER back;
    UCHAR bytes[MINI_HEADER_BYTES + 2 * SMBD_DESCRIPTOR_BYTES];

    (void)state;
    memset(&header, 0, sizeof(header));
    memset(&back, 0, sizeof(back));
    memset(bytes, 0, sizeof(bytes));
    header.Opcode = MiniRead;
    header.Flags = MINI_FLAG_RESPONSE;
    header.Status = STATUS_CRC_ERROR;
    header.MessageId = 7;
    header.FileId = 0x101;
    header.Length = 65536;
    header.Offset = 0x123456789ab;
    header.Checksum = 0xfedcba9876543210;
    header.DescriptorCount = 2;
    MiniPutHeader(bytes, &header);
    assert_true(MiniGetHeader(bytes, sizeof(bytes), &back));
    assert_memory_equal(&header, &back, sizeof(back));
}

static void message_that_is_not_ours_or_too_short_is_refused(void **state) {
    MINI_HEADER header;
    UCHAR bytes[MINI_HEADER_BYTES + SMBD_DESCRIPTOR_BYTES];

    (void)state;
    memset(&header, 0, sizeof(header));
    memset(bytes, 0, sizeof(bytes));
    assert_false(MiniGetHeader(bytes, sizeof(bytes), &header));
    header.DescriptorCount = 1;
    MiniPutHeader(bytes, &header);
    assert_true(MiniGetHeader(bytes, sizeof(bytes), &header));
    assert_false(MiniGetHeader(bytes, sizeof(bytes) - 1, &header));
    assert_false(MiniGetHeader(bytes, MINI_HEADER_BYTES - 1, &header));
    header.DescriptorCount = 0xffffffff;
    MiniPutHeader(bytes, &header);
    assert_false(MiniGetHeader(bytes, sizeof(bytes), &header));
}

static void content_fits_its_place_and_generation_only(void **state) {
    ULONG64 data[64];
    ULONG64 base = MiniPatternBase(1, 2, 3);

    (void)state;
    MiniPatternFill(data, base, 4096, sizeof(data));
    assert_true(MiniPatternEquals(data, base, 4096, sizeof(data)));
    assert_true(MiniPatternEquals(data + 8, base, 4096 + 64, sizeof(data) - 64));
    assert_false(MiniPatternEquals(data, base, 4104, sizeof(data)));
    assert_false(MiniPatternEquals(data, MiniPatternBase(1, 2, 4), 4096, sizeof(data)));
    assert_false(MiniPatternEquals(data, MiniPatternBase(1, 3, 3), 4096, sizeof(data)));
    data[63] ^= 1;
    assert_false(MiniPatternEquals(data, base, 4096, sizeof(data)));
}

static void checksum_sees_every_byte_and_their_order(void **state) {
    UCHAR data[37];
    ULONG64 sum;

    (void)state;
    for (ULONG i = 0; i < sizeof(data); i++) {
        data[i] = (UCHAR)(i * 7);
    }
    sum = MiniChecksum(data, sizeof(data));
    for (ULONG i = 0; i < sizeof(data); i++) {
        data[i] ^= 0x10;
        assert_true(MiniChecksum(data, sizeof(data)) != sum);
        data[i] ^= 0x10;
    }
    assert_true(MiniChecksum(data, sizeof(data) - 1) != sum);
    for (ULONG i = 0; i < 8; i++) {
        UCHAR kept = data[i];

        data[i] = data[i + 8];
        data[i + 8] = kept;
    }
    assert_true(MiniChecksum(data, sizeof(data)) != sum);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(header_comes_back_as_it_was),
        cmocka_unit_test(message_that_is_not_ours_or_too_short_is_refused),
        cmocka_unit_test(content_fits_its_place_and_generation_only),
        cmocka_unit_test(checksum_sees_every_byte_and_their_order),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
