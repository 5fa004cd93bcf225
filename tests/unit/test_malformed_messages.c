/* ipc.messages: what is no message of this version is refused. */
#include <msgpack.h>
#include <stdlib.h>
#include <string.h>

#include "tests/unit/message_samples.h"
#include "tests/unit/run_suite.h"

static uint8_t decoded[sizeof(struct message_chunk_manager_update)];

START_TEST(a_message_that_is_cut_anywhere_is_refused)
{
    const struct codec *codec = &codecs[_i];
    long length = put_sample(codec);
    for (size_t bytes = 0; bytes < (size_t)length - FRAME_HEADER_BYTES; bytes++) {
        uint8_t *exact = malloc(bytes + 1); /* so that a sanitizer sees a read behind the end */
        memcpy(exact + 1, payload_of(frame), bytes);
        ck_assert_msg(codec->get(exact + 1, bytes, decoded) == -EPROTO, "%s cut at %zu",
                      codec->name, bytes);
        free(exact);
    }
}
END_TEST

START_TEST(bytes_behind_a_message_are_refused)
{
    const struct codec *codec = &codecs[_i];
    long length = put_sample(codec);
    frame[length] = 0;
    ck_assert_int_eq(
        codec->get(payload_of(frame), (size_t)length - FRAME_HEADER_BYTES + 1, decoded), -EPROTO);
}
END_TEST

/* Of a newer minor version: a map, which no message of ours has. */
START_TEST(an_appended_field_is_skipped)
{
    static const uint8_t appended[] = { 0x81, 0xa1, 'k', 0xc0 };
    static uint8_t again[MESSAGE_MAX_BYTES];
    const struct codec *codec = &codecs[_i];
    long length = put_sample(codec);
    frame[FRAME_HEADER_BYTES]++;
    memcpy(frame + length, appended, sizeof(appended));
    ck_assert_int_eq(codec->get(payload_of(frame),
                                (size_t)length - FRAME_HEADER_BYTES + sizeof(appended), decoded),
                     0);
    ck_assert_int_eq(codec->put(again, sizeof(again), decoded), length);
    frame[FRAME_HEADER_BYTES]--;
    ck_assert_mem_eq(again + FRAME_HEADER_BYTES, payload_of(frame),
                     (size_t)length - FRAME_HEADER_BYTES);
}
END_TEST

START_TEST(a_missing_field_is_refused)
{
    const struct codec *codec = &codecs[_i];
    long length = put_sample(codec);
    frame[FRAME_HEADER_BYTES]--;
    ck_assert_int_eq(codec->get(payload_of(frame), (size_t)length - FRAME_HEADER_BYTES, decoded),
                     -EPROTO);
}
END_TEST

/* The sample's payload with its field FIELD replaced by nil, an array, or a string where it was a
 * number and the other way round. */
static size_t with_wrong_type(const struct codec *codec, uint32_t field, char *out, size_t capacity)
{
    long length = put_sample(codec);
    msgpack_unpacked unpacked;
    msgpack_unpacked_init(&unpacked);
    ck_assert_int_eq(msgpack_unpack_next(&unpacked, (const char *)payload_of(frame),
                                         (size_t)length - FRAME_HEADER_BYTES, NULL),
                     MSGPACK_UNPACK_SUCCESS);
    msgpack_object *changed = &unpacked.data.via.array.ptr[field];
    if (changed->type == MSGPACK_OBJECT_STR)
        *changed = (msgpack_object){ .type = MSGPACK_OBJECT_POSITIVE_INTEGER };
    else
        *changed = (msgpack_object){ .type = MSGPACK_OBJECT_STR, .via.str = { 1, "1" } };
    msgpack_sbuffer buffer;
    msgpack_sbuffer_init(&buffer);
    msgpack_packer packer;
    msgpack_packer_init(&packer, &buffer, msgpack_sbuffer_write);
    ck_assert_int_eq(msgpack_pack_object(&packer, unpacked.data), 0);
    ck_assert_uint_le(buffer.size, capacity);
    memcpy(out, buffer.data, buffer.size);
    size_t bytes = buffer.size;
    msgpack_sbuffer_destroy(&buffer);
    msgpack_unpacked_destroy(&unpacked);
    return bytes;
}

START_TEST(a_field_of_a_wrong_type_is_refused)
{
    const struct codec *codec = &codecs[_i];
    char changed[4096];
    put_sample(codec);
    uint32_t fields = frame[FRAME_HEADER_BYTES] & 0x0f;
    for (uint32_t field = 0; field < fields; field++) {
        size_t bytes = with_wrong_type(codec, field, changed, sizeof(changed));
        ck_assert_msg(codec->get((const uint8_t *)changed, bytes, decoded) == -EPROTO,
                      "%s: field %u", codec->name, field);
    }
}
END_TEST

static const struct {
    const char *name;
    int (*get)(const uint8_t *payload, size_t bytes, void *out);
    uint8_t bytes[24];
    size_t count;
} out_of_range[] = {
    { "pid 0", get_command_exited, { 0x94, 5, 0, 0, 0 }, 5 },
    { "pid -1", get_command_exited, { 0x94, 5, 0xff, 0, 0 }, 5 },
    { "pid 2^31", get_command_exited, { 0x94, 5, 0xce, 0x80, 0, 0, 0, 0, 0 }, 9 },
    { "flag 2", get_command_exited, { 0x94, 5, 1, 2, 0 }, 5 },
    { "exit status 256", get_command_exited, { 0x94, 5, 1, 0, 0xcd, 1, 0 }, 7 },
    { "error 1", get_reply, { 0x94, 5, 1, 1, 0xa0 }, 5 },
    { "error -4096", get_reply, { 0x94, 5, 1, 0xd1, 0xf0, 0, 0xa0 }, 7 },
    { "negative id", get_reply, { 0x94, 5, 0xff, 0, 0xa0 }, 5 },
    { "NUL in a text", get_reply, { 0x94, 5, 1, 0, 0xa1, 0 }, 6 },
    { "signal 0", get_client_signal, { 0x93, 5, 1, 0 }, 4 },
    { "signal 65", get_client_signal, { 0x93, 5, 1, 65 }, 4 },
    { "unknown feature",
      get_session,
      { 0x9c, 5, 1, 1, 1, 0xcd, 0x80, 0, 0, 0, 0xa0, 0xa0, 0, 0, 0 },
      15 },
    { "session without interval",
      get_session,
      { 0x9c, 5, 1, 0, 1, 1, 0, 0, 0xa0, 0xa0, 0, 0, 0 },
      13 },
    { "interval of years",
      get_session,
      { 0x9c, 5, 1, 0xcf, 0, 1, 0, 0, 0, 0, 0, 0, 1, 1, 0, 0, 0xa0, 0xa0, 0, 0, 0 },
      21 },
    { "clock that is none",
      get_session,
      { 0x9c, 5, 1, 1, 1, 1, 0, 0, 0xa0, 0xa0, 0, SAMPLING_CLOCK_COUNT, 0 },
      13 },
    { "session of an older profd", get_session, { 0x9a, 5, 1, 1, 1, 1, 0, 0, 0xa0, 0xa0, 0 }, 11 },
    { "start with a clock that is none",
      get_client_start,
      { 0x9d, 5, 1, 1, 1, 1, 0, 0, 0xa0, 0xa0, 0xa0, 0, SAMPLING_CLOCK_COUNT, 0 },
      13 },
    { "launch of nothing", get_client_launch, { 0x95, 5, 1, 0xa1, '/', 0xa0, 0xa0 }, 7 },
    { "launch in no folder", get_client_launch, { 0x95, 5, 1, 0xa0, 0xa2, 'a', 0, 0xa0 }, 8 },
    { "argument without its end",
      get_client_launch,
      { 0x95, 5, 1, 0xa1, '/', 0xa2, 0, 'a', 0xa0 },
      9 },
    { "image of 33 bits", get_gather_profile, { 0x94, 5, 1, 1, 0xcf, 0, 0, 0, 1, 0, 0, 0, 0 }, 13 },
    { "more than done", get_gather_progress, { 0x93, 5, 1, 0xce, 0xff, 0, 0, 0 }, 8 },
    { "update of no kind", get_chunk_manager_update, { 0x99, 5, 1, 3, 0, 0, 0, 0, 0, 0x90 }, 10 },
    { "257 released chunks",
      get_chunk_manager_update,
      { 0x99, 5, 1, 1, 0, 0, 0, 0, 0, 0xdc, 1, 1 },
      12 },
    { "2^32 - 1 released chunks",
      get_chunk_manager_update,
      { 0x99, 5, 1, 1, 0, 0, 0, 0, 0, 0xdd, 0xff, 0xff, 0xff, 0xff },
      14 },
    { "released chunk of 2 fields",
      get_chunk_manager_update,
      { 0x99, 5, 1, 1, 0, 0, 0, 0, 0, 0x91, 0x92, 1, 1 },
      13 },
    { "33 bits lost",
      get_chunk_manager_update,
      { 0x99, 5, 1, 1, 0, 0, 0, 0, 0xcf, 0, 0, 0, 1, 0, 0, 0, 0, 0x90 },
      18 },
};

START_TEST(a_value_out_of_range_is_refused)
{
    int error = out_of_range[_i].get(out_of_range[_i].bytes, out_of_range[_i].count, decoded);
    ck_assert_msg(error == -EPROTO, "%s: %d", out_of_range[_i].name, error);
}
END_TEST

static const struct {
    const char *name;
    uint8_t bytes[8];
    size_t count;
} no_kinds[] = {
    { "nothing", { 0 }, 0 },
    { "no array", { 5 }, 1 },
    { "empty array", { 0x90 }, 1 },
    { "array without members", { 0x91 }, 1 },
    { "kind 0", { 0x91, 0 }, 2 },
    { "negative kind", { 0x91, 0xff }, 2 },
    { "text for a kind", { 0x91, 0xa1, 'x' }, 3 },
    { "kind of 32 bits", { 0x91, 0xce, 0xff, 0xff, 0xff, 0xff }, 6 },
};

START_TEST(a_payload_without_a_kind_is_refused)
{
    ck_assert_msg(message_peek_kind(no_kinds[_i].bytes, no_kinds[_i].count) == -EPROTO, "%s",
                  no_kinds[_i].name);
}
END_TEST

START_TEST(a_hello_of_another_version_tells_that_version_and_nothing_else)
{
    static const uint8_t other[] = { 0x93, 1, PROTOCOL_MAJOR + 1, 0xc3 };
    struct message_hello hello, nothing = { .protocol_version = PROTOCOL_MAJOR + 1 };
    struct message_client_hello client_hello;
    struct message_welcome welcome;
    memset(&hello, 0xff, sizeof(hello));
    ck_assert_int_eq(message_get_hello(other, sizeof(other), &hello), 0);
    ck_assert_mem_eq(&hello, &nothing, sizeof(hello));
    ck_assert_int_eq(message_get_client_hello(other, sizeof(other), &client_hello), 0);
    ck_assert_uint_eq(client_hello.protocol_version, PROTOCOL_MAJOR + 1);
    ck_assert_int_eq(message_get_welcome(other, sizeof(other), &welcome), 0);
    ck_assert_uint_eq(welcome.protocol_version, PROTOCOL_MAJOR + 1);
}
END_TEST

/* What agents of 6.0 say and take: all of ours but what followed since. */
START_TEST(a_peer_of_6_0_gets_and_says_only_what_it_knows)
{
    static uint8_t full[MESSAGE_MAX_BYTES];
    struct message_welcome welcome = sample_welcome, out;
    long full_length = put_welcome(full, sizeof(full), &welcome);
    welcome.protocol_version = protocol_version_with(0);
    long length = put_welcome(frame, sizeof(frame), &welcome);
    ck_assert_int_lt(length, full_length);
    ck_assert_uint_eq(payload_of(frame)[0], payload_of(full)[0] - 1); /* the revision is left out */
    ck_assert_int_eq(
        message_get_welcome(payload_of(frame), (size_t)length - FRAME_HEADER_BYTES, &out), 0);
    ck_assert_uint_eq(out.session.clock, sample_welcome.session.clock);
    ck_assert_uint_eq(out.session.revision, 0);

    struct message_session session;
    length =
        message_put_session_for(0, frame, sizeof(frame), MESSAGE_ENSURE_STARTED, &sample_session);
    ck_assert_int_lt(length, put_session(full, sizeof(full), &sample_session));
    ck_assert_int_eq(
        message_get_session(payload_of(frame), (size_t)length - FRAME_HEADER_BYTES, &session), 0);
    ck_assert_uint_eq(session.generation, sample_session.generation);
    ck_assert_uint_eq(session.revision, 0);
}
END_TEST

static Suite *suite(void)
{
    Suite *s = suite_create("ipc.malformed_messages");

    TCase *malformed = tcase_create("malformed");
    tcase_add_loop_test(malformed, a_message_that_is_cut_anywhere_is_refused, 0, COUNT_OF(codecs));
    tcase_add_loop_test(malformed, bytes_behind_a_message_are_refused, 0, COUNT_OF(codecs));
    tcase_add_loop_test(malformed, an_appended_field_is_skipped, 0, COUNT_OF(codecs));
    tcase_add_loop_test(malformed, a_missing_field_is_refused, 0, COUNT_OF(codecs));
    tcase_add_loop_test(malformed, a_field_of_a_wrong_type_is_refused, 0, COUNT_OF(codecs));
    tcase_add_loop_test(malformed, a_value_out_of_range_is_refused, 0, COUNT_OF(out_of_range));
    tcase_add_loop_test(malformed, a_payload_without_a_kind_is_refused, 0, COUNT_OF(no_kinds));
    tcase_add_test(malformed, a_peer_of_6_0_gets_and_says_only_what_it_knows);
    tcase_add_test(malformed, a_hello_of_another_version_tells_that_version_and_nothing_else);
    suite_add_tcase(s, malformed);
    return s;
}

int main(void)
{
    return run_suite(suite());
}
