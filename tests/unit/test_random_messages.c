/* ipc.messages: random bytes are refused, or are a valid message. */
#include <stdlib.h>
#include <string.h>

#include "tests/unit/message_samples.h"
#include "tests/unit/run_suite.h"

static uint8_t decoded[sizeof(struct message_chunk_manager_update)];

static uint64_t random_state;

/* A fixed sequence of good quality (splitmix64), the same in every run. */
static uint64_t random_number(void)
{
    uint64_t z = random_state += UINT64_C(0x9e3779b97f4a7c15);
    z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
    return z ^ (z >> 31);
}

/* Decoding returns one of two things, and what it accepts encodes again. */
static void check_decoder(const struct codec *codec, const uint8_t *payload, size_t bytes,
                          unsigned *accepted)
{
    static uint8_t again[MESSAGE_MAX_BYTES];
    int error = codec->get(payload, bytes, decoded);
    ck_assert_msg(error == 0 || error == -EPROTO, "%s: %d", codec->name, error);
    if (error < 0)
        return;
    ++*accepted;
    const uint64_t *version = (const uint64_t *)decoded;
    bool is_greeting = codec->get == get_hello || codec->get == get_welcome;
    if (is_greeting && !protocol_version_is_understood(*version))
        return;
    ck_assert_msg(codec->put(again, sizeof(again), decoded) > 0, "%s", codec->name);
}

START_TEST(random_bytes_are_refused_or_make_a_valid_message)
{
    const struct codec *codec = &codecs[_i];
    unsigned accepted = 0;
    random_state = (uint64_t)_i;
    for (int turn = 0; turn < 4000; turn++) {
        size_t bytes = random_number() % 64;
        uint8_t *exact = malloc(bytes + 1);
        for (size_t i = 0; i < bytes; i++)
            exact[i] = (uint8_t)random_number();
        if (bytes > 1 && turn % 2 == 0) { /* past the first hurdle */
            exact[0] = (uint8_t)(0x90 | random_number() % 12);
            exact[1] = KIND;
        }
        (void)message_peek_kind(exact, bytes);
        check_decoder(codec, exact, bytes, &accepted);
        free(exact);
    }
}
END_TEST

START_TEST(samples_with_random_changes_are_refused_or_make_a_valid_message)
{
    const struct codec *codec = &codecs[_i];
    unsigned accepted = 0;
    size_t bytes = (size_t)put_sample(codec) - FRAME_HEADER_BYTES;
    random_state = 1000 + (uint64_t)_i;
    for (int turn = 0; turn < 4000; turn++) {
        uint8_t *exact = malloc(bytes);
        memcpy(exact, payload_of(frame), bytes);
        for (uint64_t changes = random_number() % 3 + 1; changes > 0; changes--)
            exact[random_number() % bytes] = (uint8_t)random_number();
        check_decoder(codec, exact, bytes, &accepted);
        free(exact);
    }
    ck_assert_msg(accepted > 0 && accepted < 4000, "%s: %u", codec->name, accepted);
}
END_TEST

static Suite *suite(void)
{
    Suite *s = suite_create("ipc.random_messages");

    TCase *random_bytes = tcase_create("random bytes");
    tcase_add_loop_test(random_bytes, random_bytes_are_refused_or_make_a_valid_message, 0,
                        COUNT_OF(codecs));
    tcase_add_loop_test(random_bytes,
                        samples_with_random_changes_are_refused_or_make_a_valid_message, 0,
                        COUNT_OF(codecs));
    suite_add_tcase(s, random_bytes);
    return s;
}

int main(void)
{
    return run_suite(suite());
}
