/* SPDX-License-Identifier: Apache-2.0 */
/* The driver's CM messages, read by the fabric's own codec. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include <wire/cm.h>

#include "cm_mad.c"
#include "cm_private.c"

BOOLEAN IpIsV4(const RNIC_IP *Ip) {
    return Ip->Bytes[10] == 0xFF && Ip->Bytes[11] == 0xFF && Ip->Bytes[0] == 0;
}

PVOID NTAPI ExAllocatePool2(POOL_FLAGS Flags, SIZE_T Bytes, ULONG Tag) {
    (void)Flags;
    (void)Tag;
    return calloc(1, Bytes);
}

VOID NTAPI ExFreePoolWithTag(PVOID Block, ULONG Tag) {
    (void)Tag;
    free(Block);
}

static RNIC_ADAPTER adapter;
static RNIC_QP qp;
static RNIC_CONNECTOR connector;
static UCHAR mad[RNIC_MAD_BYTES];
static const RNIC_IP v4_a = {{0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xFF, 0xFF, 10, 0, 0, 1}};
static const RNIC_IP v4_b = {{0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xFF, 0xFF, 10, 0, 0, 2}};
static const RNIC_IP v6_a = {{0xFD, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1}};
static const RNIC_IP v6_b = {{0xFD, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 2}};

static int make(void **state) {
    (void)state;
    memset(&adapter, 0, sizeof(adapter));
    CmPrivateDrop(&connector.Told);
    memset(&connector, 0, sizeof(connector));
    adapter.Settings.CmResponseTimeout = 20;
    adapter.Settings.CmRetryCount = 15;
    adapter.Settings.AckTimeout = 14;
    adapter.Settings.RetryCount = 7;
    adapter.Settings.RnrRetryCount = 3;
    adapter.Caps.ack_delay = 5;
    adapter.Cm.CaGuid = 0x0202030405060708ull;
    qp.Qpn = 0x123456;
    connector.Object.Owner = &adapter;
    connector.Qp = &qp;
    connector.Ids.TransactionId = 0x1122334455667788ull;
    connector.Ids.LocalId = 0xA1A2A3A4;
    connector.Ids.RemoteId = 0xB1B2B3B4;
    connector.LocalIp = v4_a;
    connector.PeerIp = v4_b;
    connector.LocalPort = 50000;
    connector.PeerPort = 445;
    connector.LocalPsn = 0xFEDCBA;
    connector.PathMtu = 3;
    connector.InboundLimit = 4;
    connector.OutboundLimit = 8;
    connector.PeerQpn = 0x654321;
    return 0;
}

static void tell(const UCHAR *bytes, ULONG count) {
    assert_true(CmPrivateSet(&connector.Told, bytes, count));
}

static void encode_req(const UCHAR *bytes, ULONG count) {
    tell(bytes, count);
    CmEncodeReq(&connector, mad);
}

static void encode_rep(const UCHAR *bytes, ULONG count) {
    tell(bytes, count);
    CmEncodeRep(&connector, mad);
}

static struct wire_cm_message decoded(enum wire_cm_kind kind) {
    struct wire_cm_message message;
    assert_int_equal(wire_cm_decode(mad, sizeof mad, &message), WIRE_OK);
    assert_int_equal(message.kind, kind);
    assert_true(message.transaction_id == connector.Ids.TransactionId);
    return message;
}

static void req_carries_both_addresses_and_the_port(const RNIC_IP *from, const RNIC_IP *to) {
    UCHAR private[RNIC_CM_REQ_PRIVATE_BYTES] = {1, 2, 3};
    connector.LocalIp = *from;
    connector.PeerIp = *to;
    encode_req(private, sizeof private);
    struct wire_cm_message message = decoded(WIRE_CM_REQ);
    assert_int_equal(message.local_comm_id, 0xA1A2A3A4);
    assert_true(message.req.service_id == wire_cm_service_id(445));
    assert_int_equal(message.req.local_qpn, 0x123456);
    assert_int_equal(message.req.starting_psn.value, 0xFEDCBA);
    assert_int_equal(message.req.responder_resources, 4);
    assert_int_equal(message.req.initiator_depth, 8);
    assert_int_equal(message.req.transport_type, 0);
    assert_int_equal(message.req.path_mtu, 3);
    assert_int_equal(message.req.rnr_retry_count, 3);
    assert_int_equal(message.req.retry_count, 7);
    assert_int_equal(message.req.max_cm_retries, 15);
    assert_int_equal(message.req.local_cm_response_timeout, 20);
    assert_int_equal(message.req.remote_cm_response_timeout, 20);
    assert_int_equal(message.req.pkey, 0xFFFF);
    assert_int_equal(message.req.primary.local_lid, 0xFFFF);
    assert_int_equal(message.req.primary.remote_lid, 0xFFFF);
    assert_int_equal(message.req.primary.hop_limit, 64);
    assert_int_equal(message.req.primary.local_ack_timeout, 14);
    assert_memory_equal(message.req.primary.local_gid.bytes, from->Bytes, 16);
    assert_memory_equal(message.req.primary.remote_gid.bytes, to->Bytes, 16);
    struct wire_cm_ip_header header;
    assert_int_equal(wire_cm_ip_header_decode(message.req.private_data,
                                              sizeof message.req.private_data, &header),
                     WIRE_OK);
    assert_int_equal(header.src_port, 50000);
    assert_memory_equal(header.src.bytes, from->Bytes, 16);
    assert_memory_equal(header.dst.bytes, to->Bytes, 16);
    assert_memory_equal(message.req.private_data + WIRE_CM_IP_HEADER_BYTES, private,
                        sizeof private);
}

static void a_req_over_ipv4_is_what_the_wire_knows(void **state) {
    (void)state;
    req_carries_both_addresses_and_the_port(&v4_a, &v4_b);
}

static void a_req_over_ipv6_is_what_the_wire_knows(void **state) {
    (void)state;
    req_carries_both_addresses_and_the_port(&v6_a, &v6_b);
}

static void a_rep_is_what_the_wire_knows(void **state) {
    (void)state;
    UCHAR private[RNIC_CM_REP_PRIVATE_BYTES] = {9, 8, 7};
    encode_rep(private, sizeof private);
    struct wire_cm_message message = decoded(WIRE_CM_REP);
    assert_int_equal(message.remote_comm_id, 0xB1B2B3B4);
    assert_int_equal(message.rep.local_qpn, 0x123456);
    assert_int_equal(message.rep.starting_psn.value, 0xFEDCBA);
    assert_int_equal(message.rep.responder_resources, 4);
    assert_int_equal(message.rep.initiator_depth, 8);
    assert_int_equal(message.rep.rnr_retry_count, 3);
    assert_int_equal(message.rep.target_ack_delay, 5);
    assert_memory_equal(message.rep.private_data, private, sizeof private);
}

static void the_short_messages_are_what_the_wire_knows(void **state) {
    (void)state;
    CmEncodeMra(mad, &connector.Ids, CmAnsweredReq, 24);
    assert_int_equal(decoded(WIRE_CM_MRA).mra.service_timeout, 24);
    CmEncodeRtu(mad, &connector.Ids);
    assert_int_equal(decoded(WIRE_CM_RTU).remote_comm_id, 0xB1B2B3B4);
    CmEncodeDreq(mad, &connector.Ids, 0x654321, FALSE);
    assert_int_equal(decoded(WIRE_CM_DREQ).dreq.remote_qpn, 0x654321);
    CmEncodeDrep(mad, &connector.Ids, FALSE);
    assert_int_equal(decoded(WIRE_CM_DREP).local_comm_id, 0xA1A2A3A4);
    UCHAR private[4] = {4, 3, 2, 1};
    CmEncodeRej(&adapter, mad, &connector.Ids, CmAnsweredRep, CmReasonConsumer, private,
                sizeof private);
    struct wire_cm_message message = decoded(WIRE_CM_REJ);
    assert_int_equal(message.rej.answered, WIRE_CM_ANSWERED_REP);
    assert_int_equal(message.rej.reason, WIRE_CM_REJ_CONSUMER);
    assert_int_equal(message.rej.ari_bytes, 0);
    assert_memory_equal(message.rej.private_data, private, sizeof private);
}

static void a_timeout_tells_who_rejects(void **state) {
    (void)state;
    CmEncodeRej(&adapter, mad, &connector.Ids, CmAnsweredOther, CmReasonTimeout, NULL, 0);
    struct wire_cm_message message = decoded(WIRE_CM_REJ);
    const uint8_t guid[8] = {2, 2, 3, 4, 5, 6, 7, 8};
    assert_int_equal(message.rej.ari_bytes, 8);
    assert_memory_equal(message.rej.ari, guid, sizeof guid);
}

static void a_request_needs_no_private_data(void **state) {
    (void)state;
    encode_req(NULL, 0);
    assert_int_equal(decoded(WIRE_CM_REQ).req.local_qpn, 0x123456);
    encode_rep(NULL, 0);
    assert_int_equal(decoded(WIRE_CM_REP).rep.local_qpn, 0x123456);
}

static void what_was_written_is_read_back(void **state) {
    (void)state;
    UCHAR private[RNIC_CM_REQ_PRIVATE_BYTES] = {5, 6};
    RNIC_CM_MESSAGE message;
    encode_req(private, sizeof private);
    assert_true(CmDecode(&adapter, mad, &message));
    assert_int_equal(message.Kind, CmReq);
    assert_int_equal(message.LocalId, 0xA1A2A3A4);
    assert_int_equal(message.RemoteId, 0);
    assert_int_equal((USHORT)message.ServiceId, 445);
    assert_int_equal(message.Qpn, 0x123456);
    assert_int_equal(message.Psn, 0xFEDCBA);
    assert_int_equal(message.ResponseTimeout, 20);
    assert_memory_equal(&message.Source, &v4_a, sizeof v4_a);
    assert_memory_equal(&message.Destination, &v4_b, sizeof v4_b);
    assert_memory_equal(message.Private, private, sizeof private);
    CmEncodeDreq(mad, &connector.Ids, 1, TRUE);
    assert_true(CmDecode(&adapter, mad, &message));
    assert_true(message.Abort);
    CmEncodeDrep(mad, &connector.Ids, FALSE);
    assert_true(CmDecode(&adapter, mad, &message));
    assert_false(message.Abort);
}

static ULONG private_bytes(void) {
    RNIC_CM_MESSAGE message;
    assert_true(CmDecode(&adapter, mad, &message));
    return message.PrivateBytes;
}

static void lengths_are_told_where_they_are_exact(void **state) {
    (void)state;
    UCHAR private[RNIC_CM_REP_PRIVATE_BYTES - 1] = {0};
    adapter.Settings.PrivateDataExact = 1;
    encode_req(private, 55);
    assert_int_equal(private_bytes(), 55);
    encode_req(NULL, 0);
    assert_int_equal(private_bytes(), 0);
    encode_rep(private, 195);
    assert_int_equal(private_bytes(), 195);
    encode_rep(private, 3);
    assert_int_equal(private_bytes(), 3);
    CmEncodeRej(&adapter, mad, &connector.Ids, CmAnsweredRep, CmReasonConsumer, private, 7);
    assert_int_equal(private_bytes(), 7);
    /* Who knows nothing of it gets the field, and from such one there is the field only. */
    adapter.Settings.PrivateDataExact = 0;
    assert_int_equal(private_bytes(), 148);
    encode_req(private, 55);
    adapter.Settings.Technology = NdkiWarp;
    assert_int_equal(private_bytes(), 56);
}

static void iwarp_knows_no_rnr(void **state) {
    (void)state;
    adapter.Settings.Technology = NdkiWarp;
    encode_req(NULL, 0);
    assert_int_equal(decoded(WIRE_CM_REQ).req.rnr_retry_count, 0);
    encode_rep(NULL, 0);
    assert_int_equal(decoded(WIRE_CM_REP).rep.rnr_retry_count, 0);
}

static void foreign_datagrams_are_not_read(void **state) {
    (void)state;
    RNIC_CM_MESSAGE message;
    CmEncodeRtu(mad, &connector.Ids);
    mad[1] = 0x04;
    assert_false(CmDecode(&adapter, mad, &message));
    CmEncodeRtu(mad, &connector.Ids);
    mad[17] = 0x19;
    assert_false(CmDecode(&adapter, mad, &message));
}

static void private_data_is_kept_without_the_zeroes_behind_it(void **state) {
    static const UCHAR given[8] = {1, 0, 3};
    UCHAR got[8];
    (void)state;
    tell(given, sizeof given);
    assert_int_equal(connector.Told.Kept, 3);
    assert_int_equal(connector.Told.Count, sizeof given);
    memset(got, 0xEE, sizeof got);
    CmPrivateCopy(&connector.Told, got, sizeof got);
    assert_memory_equal(got, given, sizeof got);
    memset(got, 0xEE, sizeof got);
    CmPrivateCopy(&connector.Told, got, 2);
    assert_memory_equal(got, given, 2);
    assert_int_equal(got[2], 0xEE);
    CmPrivateDrop(&connector.Told);
}

static void private_data_of_zeroes_takes_no_memory(void **state) {
    static const UCHAR given[RNIC_CM_REP_PRIVATE_BYTES];
    (void)state;
    tell(given, sizeof given);
    assert_null(connector.Told.Bytes);
    assert_int_equal(connector.Told.Count, sizeof given);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(a_req_over_ipv4_is_what_the_wire_knows, make),
        cmocka_unit_test_setup(a_req_over_ipv6_is_what_the_wire_knows, make),
        cmocka_unit_test_setup(a_rep_is_what_the_wire_knows, make),
        cmocka_unit_test_setup(the_short_messages_are_what_the_wire_knows, make),
        cmocka_unit_test_setup(a_timeout_tells_who_rejects, make),
        cmocka_unit_test_setup(a_request_needs_no_private_data, make),
        cmocka_unit_test_setup(what_was_written_is_read_back, make),
        cmocka_unit_test_setup(lengths_are_told_where_they_are_exact, make),
        cmocka_unit_test_setup(iwarp_knows_no_rnr, make),
        cmocka_unit_test_setup(foreign_datagrams_are_not_read, make),
        cmocka_unit_test_setup(private_data_is_kept_without_the_zeroes_behind_it, make),
        cmocka_unit_test_setup(private_data_of_zeroes_takes_no_memory, make),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
