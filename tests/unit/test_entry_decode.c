/* buffer.entry_decode: entries of any bytes are decoded or refused. */
#include <check.h>
#include <errno.h>

#include "buffer/arena_reader.h"
#include "tests/unit/run_suite.h"

static const struct {
    const char *claim;
    uint8_t kind;
    const char *payload;
    size_t bytes;
    int result;
    struct marker_entry expected;
} markers[] = {
    { "instant",
      ENTRY_MARKER,
      "\x05\x07",
      2,
      0,
      { .ticks_delta = 5, .duration_ticks = 0, .site = 7, .text = { NULL, 0 } } },
    { "start",
      ENTRY_MARKER_START,
      "\x05\x07",
      2,
      0,
      { .ticks_delta = 5, .duration_ticks = 0, .site = 7, .text = { NULL, 0 } } },
    { "interval",
      ENTRY_MARKER_INTERVAL,
      "\x05\x06\x07",
      3,
      0,
      { .ticks_delta = 5, .duration_ticks = 6, .site = 7, .text = { NULL, 0 } } },
    { "text",
      ENTRY_TEXT_MARKER_END,
      "\x05\x07hi",
      4,
      0,
      { .ticks_delta = 5, .duration_ticks = 0, .site = 7, .text = { NULL, 2 } } },
    { "empty text",
      ENTRY_TEXT_MARKER,
      "\x05\x07",
      2,
      0,
      { .ticks_delta = 5, .duration_ticks = 0, .site = 7, .text = { NULL, 0 } } },
    { "text interval",
      ENTRY_TEXT_MARKER_INTERVAL,
      "\x05\x06\x07x",
      4,
      0,
      { .ticks_delta = 5, .duration_ticks = 6, .site = 7, .text = { NULL, 1 } } },
    { "payload",
      ENTRY_TYPED_MARKER_START,
      "\x05\x07pq",
      4,
      0,
      { .ticks_delta = 5, .phase = PHASE_INTERVAL_START, .site = 7, .text = { NULL, 2 } } },
    { "payload of an interval",
      ENTRY_TYPED_MARKER_INTERVAL,
      "\x05\x06\x07",
      3,
      0,
      { .ticks_delta = 5, .phase = PHASE_INTERVAL, .duration_ticks = 6, .site = 7 } },
    /* time, interval, 2 ticks ago, duration, site, thread 3, no stack, text */
    { "full",
      ENTRY_FULL_MARKER,
      "\x05\x01\x04\x06\x07\x04\0p",
      8,
      0,
      { .ticks_delta = 5,
        .phase = PHASE_INTERVAL,
        .duration_ticks = 6,
        .site = 7,
        .ticks_ago = 2,
        .thread_index_plus_1 = 4,
        .text = { NULL, 1 } } },
    { "full with a stack",
      ENTRY_FULL_MARKER,
      "\x05\0\0\0\x07\0\x02\x02\x08\x03",
      10,
      0,
      { .ticks_delta = 5, .site = 7, .frame_count = 2, .stack_ticks_ago = 1 } },
    { "unknown phase", ENTRY_FULL_MARKER, "\x05\x04\0\0\x07\0\0", 7, -EPROTO, { 0 } },
    { "more frames than there are",
      ENTRY_FULL_MARKER,
      "\x05\0\0\0\x07\0\x02\x02\x08",
      9,
      -EPROTO,
      { 0 } },
    { "too many frames", ENTRY_FULL_MARKER, "\x05\0\0\0\x07\0\x81\x02\x02", 9, -EPROTO, { 0 } },
    { "trailing", ENTRY_MARKER, "\x05\x07z", 3, -EPROTO, { 0 } },
    { "short", ENTRY_MARKER_INTERVAL, "\x05\x06", 2, -EPROTO, { 0 } },
    { "empty", ENTRY_TEXT_MARKER, "", 0, -EPROTO, { 0 } },
    { "site above 32 bits", ENTRY_MARKER, "\x05\xff\xff\xff\xff\x1f", 6, -EPROTO, { 0 } },
    { "not a marker", ENTRY_LATE, "\x05\x07", 2, -EPROTO, { 0 } },
    { "not an entry", 200, "\x05\x07", 2, -EPROTO, { 0 } },
};

START_TEST(markers_are_decoded_or_refused)
{
    struct marker_entry marker;
    int result = entry_decode_marker(markers[_i].kind, (const uint8_t *)markers[_i].payload,
                                     markers[_i].bytes, &marker);
    ck_assert_msg(result == markers[_i].result, "%s", markers[_i].claim);
    if (result != 0)
        return;
    ck_assert_uint_eq(marker.ticks_delta, markers[_i].expected.ticks_delta);
    ck_assert_uint_eq(marker.duration_ticks, markers[_i].expected.duration_ticks);
    ck_assert_uint_eq(marker.site, markers[_i].expected.site);
    ck_assert_uint_eq(marker.text.length, markers[_i].expected.text.length);
    ck_assert_int_eq(marker.ticks_ago, markers[_i].expected.ticks_ago);
    ck_assert_uint_eq(marker.thread_index_plus_1, markers[_i].expected.thread_index_plus_1);
    ck_assert_uint_eq(marker.frame_count, markers[_i].expected.frame_count);
    ck_assert_int_eq(marker.stack_ticks_ago, markers[_i].expected.stack_ticks_ago);
    ck_assert((marker.text.bytes != NULL) == (markers[_i].kind >= ENTRY_TEXT_MARKER));
}
END_TEST

static const struct {
    const char *claim;
    const char *payload;
    size_t bytes;
    uint32_t depth_before;
    int decode_result, stack_result;
    uint32_t depth;
    struct stack_frame frames[4];
} samples[] = {
    /* thread, ticks, cpu, kept, added, frames; 64 is address +16, 35 is site 17 */
    { "empty", "\x01\x02\x03\x00\x00", 5, 0, 0, 0, 0, { { 0 } } },
    { "two addresses", "\x01\x02\x03\x00\x02\x40\x40", 7, 0, 0, 0, 2, { { 16, 0 }, { 32, 0 } } },
    { "label between",
      "\x01\x02\x03\x00\x03\x40\x23\x40",
      8,
      0,
      0,
      0,
      3,
      { { 16, 0 }, { 17, 1 }, { 32, 0 } } },
    { "kept label: the address before it counts",
      "\x01\x02\x03\x02\x01\x42",
      6,
      3,
      0,
      0,
      3,
      { { 100, 0 }, { 5, 1 }, { 83, 0 } } },
    { "kept is more than there was", "\x01\x02\x03\x04\x00", 5, 3, 0, -EPROTO, 3, { { 0 } } },
    { "frame missing", "\x01\x02\x03\x00\x02\x40", 6, 0, 0, -EPROTO, 0, { { 0 } } },
    { "frame too many", "\x01\x02\x03\x00\x01\x40\x40", 7, 0, 0, -EPROTO, 0, { { 0 } } },
    { "label above 32 bits",
      "\x01\x02\x03\x00\x01\xff\xff\xff\xff\x7f",
      10,
      0,
      0,
      -EPROTO,
      0,
      { { 0 } } },
    { "kept above the most", "\x01\x02\x03\x81\x08\x00", 6, 0, -EPROTO, 0, 0, { { 0 } } },
    { "sum above the most", "\x01\x02\x03\x80\x08\x01\x40", 7, 0, -EPROTO, 0, 0, { { 0 } } },
    { "cut", "\x01\x02\x03\x00", 4, 0, -EPROTO, 0, 0, { { 0 } } },
    { "nothing", "", 0, 0, -EPROTO, 0, 0, { { 0 } } },
};

START_TEST(samples_are_decoded_or_refused)
{
    static struct stack_state state;
    struct sample_entry sample;
    state.depth = samples[_i].depth_before;
    state.frames[0] = (struct stack_frame){ 100, false };
    state.frames[1] = (struct stack_frame){ 5, true };
    state.frames[2] = (struct stack_frame){ 300, false };
    int result =
        entry_decode_sample((const uint8_t *)samples[_i].payload, samples[_i].bytes, &sample);
    ck_assert_msg(result == samples[_i].decode_result, "%s", samples[_i].claim);
    if (result != 0)
        return;
    ck_assert_uint_eq(sample.thread_index, 1);
    ck_assert_uint_eq(sample.ticks_after_tick, 2);
    ck_assert_uint_eq(sample.cpu_us, 3);
    result = sample_decode_stack(&sample, &state);
    ck_assert_msg(result == samples[_i].stack_result, "%s", samples[_i].claim);
    if (result != 0)
        return;
    ck_assert_uint_eq(state.depth, samples[_i].depth);
    for (uint32_t i = 0; i < state.depth; i++) {
        ck_assert_msg(state.frames[i].value == samples[_i].frames[i].value &&
                          state.frames[i].is_label == samples[_i].frames[i].is_label,
                      "%s: frame %u is %lu", samples[_i].claim, i,
                      (unsigned long)state.frames[i].value);
    }
}
END_TEST

START_TEST(small_entries_are_decoded_or_refused)
{
    uint64_t delta;
    uint32_t thread;
    struct sample_entry same;
    const uint8_t bytes[] = { 0x81, 0x01, 3, 4, 5 };
    ck_assert_int_eq(entry_decode_tick(bytes, 2, &delta), 0);
    ck_assert_uint_eq(delta, 129);
    ck_assert_int_eq(entry_decode_tick(bytes, 1, &delta), -EPROTO);
    ck_assert_int_eq(entry_decode_tick(bytes, 3, &delta), -EPROTO);
    ck_assert_int_eq(entry_decode_late(bytes, 2, &thread), 0);
    ck_assert_uint_eq(thread, 129);
    ck_assert_int_eq(entry_decode_late(bytes, 0, &thread), -EPROTO);
    ck_assert_int_eq(entry_decode_late(bytes, 3, &thread), -EPROTO);
    ck_assert_int_eq(entry_decode_same(bytes, 4, &same), 0);
    ck_assert_uint_eq(same.thread_index, 129);
    ck_assert_uint_eq(same.ticks_after_tick, 3);
    ck_assert_uint_eq(same.cpu_us, 4);
    ck_assert_int_eq(entry_decode_same(bytes, 3, &same), -EPROTO);
    ck_assert_int_eq(entry_decode_same(bytes, 5, &same), -EPROTO);
}
END_TEST

#define COUNT(table) ((int)(sizeof(table) / sizeof(table)[0]))

int main(void)
{
    Suite *suite = suite_create("buffer.entry_decode");
    TCase *tests = tcase_create("entries");
    suite_add_tcase(suite, tests);
    tcase_add_loop_test(tests, markers_are_decoded_or_refused, 0, COUNT(markers));
    tcase_add_loop_test(tests, samples_are_decoded_or_refused, 0, COUNT(samples));
    tcase_add_test(tests, small_entries_are_decoded_or_refused);
    return run_suite(suite);
}
