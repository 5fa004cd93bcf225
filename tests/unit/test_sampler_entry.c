/* buffer.sampler_entry: what is written is read back, and nothing else is. */
#include <check.h>
#include <errno.h>
#include <stdbool.h>
#include <string.h>

#include "buffer/sampler_entry.h"
#include "tests/unit/run_suite.h"

enum { COUNT = 4 };

static uint8_t entry[COUNTERS_ENTRY_MAX_BYTES];

static struct counter_cursor decode_entry(size_t bytes, uint64_t *ticks)
{
    struct counter_cursor cursor;
    ck_assert_int_eq(entry_decode_counters(entry + 1, bytes - 1, ticks, &cursor), 0);
    return cursor;
}

static void next_is(struct counter_cursor *cursor, uint32_t index, int64_t count, uint64_t number)
{
    struct counter_change change;
    ck_assert_int_eq(counter_cursor_next(cursor, &change), 1);
    ck_assert_uint_eq(change.index, index);
    ck_assert_int_eq(change.by.count, count);
    ck_assert_uint_eq(change.by.number, number);
}

static void is_at_end(struct counter_cursor *cursor)
{
    struct counter_change change;
    ck_assert_int_eq(counter_cursor_next(cursor, &change), 0);
}

START_TEST(only_changes_are_written)
{
    struct counter_total before[COUNT] = { { 5, 1 }, { 7, 2 }, { -3, 3 }, { 0, 0 } };
    struct counter_total now[COUNT] = { { 5, 1 }, { 2, 4 }, { -3, 3 }, { 0, 1 } };
    uint64_t ticks;
    size_t bytes = counters_entry_write(entry, 1234, before, now, COUNT);
    ck_assert_uint_eq(entry[0], ENTRY_COUNTERS);
    ck_assert_uint_eq(bytes, 1 + 2 + 3 + 3);
    struct counter_cursor cursor = decode_entry(bytes, &ticks);
    ck_assert_uint_eq(ticks, 1234);
    next_is(&cursor, 1, -5, 2);
    next_is(&cursor, 3, 0, 1);
    is_at_end(&cursor);
}
END_TEST

START_TEST(nothing_changed_is_no_entry)
{
    struct counter_total now[COUNT] = { { 5, 1 }, { 7, 2 } };
    ck_assert_uint_eq(counters_entry_write(entry, 1, now, now, COUNT), 0);
    ck_assert_uint_eq(counter_totals_entry_write(entry, 1, now, 0), 0);
}
END_TEST

START_TEST(totals_have_all_counters_and_the_widest_numbers_fit)
{
    static struct counter_total now[COUNTERS_MAX];
    uint64_t ticks;
    for (int i = 0; i < COUNTERS_MAX; i++)
        now[i] = (struct counter_total){ i % 2 == 0 ? INT64_MIN : INT64_MAX, UINT64_MAX };
    size_t bytes = counter_totals_entry_write(entry, UINT64_MAX, now, COUNTERS_MAX);
    ck_assert_uint_eq(entry[0], ENTRY_COUNTER_TOTALS);
    ck_assert_uint_le(bytes, sizeof(entry));
    struct counter_cursor cursor = decode_entry(bytes, &ticks);
    for (uint32_t i = 0; i < COUNTERS_MAX; i++)
        next_is(&cursor, i, now[i].count, UINT64_MAX);
    is_at_end(&cursor);
}
END_TEST

START_TEST(changes_wrap)
{
    struct counter_total before = { INT64_MAX, UINT64_MAX }, now = { INT64_MIN, 0 };
    uint64_t ticks;
    struct counter_cursor cursor =
        decode_entry(counters_entry_write(entry, 0, &before, &now, 1), &ticks);
    next_is(&cursor, 0, 1, 1);
}
END_TEST

START_TEST(a_cut_entry_is_damaged)
{
    struct counter_total before[COUNT] = { { 0, 0 } }, now[COUNT] = { { 300, 300 }, { 300, 300 } };
    size_t bytes = counters_entry_write(entry, 300, before, now, COUNT);
    for (size_t kept = 0; kept + 1 < bytes; kept++) {
        struct counter_cursor cursor;
        struct counter_change change;
        uint64_t ticks;
        int found = entry_decode_counters(entry + 1, kept, &ticks, &cursor);
        while (found >= 0 && (found = counter_cursor_next(&cursor, &change)) == 1)
            ck_assert_int_eq(change.by.count, 300);
        bool is_between = kept == 2 || kept == 2 + 5;
        ck_assert_int_eq(found, is_between ? 0 : -EPROTO);
    }
}
END_TEST

START_TEST(an_index_beyond_the_most_is_damaged)
{
    struct counter_cursor cursor;
    struct counter_change change;
    uint64_t ticks;
    uint8_t *out = entry;
    *out++ = 0; /* ticks */
    out = leb128_write(out, COUNTERS_MAX - 1);
    *out++ = 2;
    *out++ = 1;
    memset(out, 0, 3); /* one more than there are */
    ck_assert_int_eq(entry_decode_counters(entry, (size_t)(out + 3 - entry), &ticks, &cursor), 0);
    next_is(&cursor, COUNTERS_MAX - 1, 1, 1);
    ck_assert_int_eq(counter_cursor_next(&cursor, &change), -EPROTO);
}
END_TEST

START_TEST(overhead_is_read_back)
{
    struct sampler_overhead overhead = { 1, 200, 0, UINT64_MAX }, read;
    uint8_t bytes[OVERHEAD_ENTRY_MAX_BYTES];
    size_t length = overhead_entry_write(bytes, &overhead);
    ck_assert_uint_eq(bytes[0], ENTRY_OVERHEAD);
    ck_assert_int_eq(entry_decode_overhead(bytes + 1, length - 1, &read), 0);
    ck_assert_mem_eq(&read, &overhead, sizeof(read));
    ck_assert_int_eq(entry_decode_overhead(bytes + 1, length - 2, &read), -EPROTO);
    ck_assert_int_eq(entry_decode_overhead(bytes + 1, length, &read), -EPROTO);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("sampler_entry");
    TCase *entries = tcase_create("entries");
    tcase_add_test(entries, only_changes_are_written);
    tcase_add_test(entries, nothing_changed_is_no_entry);
    tcase_add_test(entries, totals_have_all_counters_and_the_widest_numbers_fit);
    tcase_add_test(entries, changes_wrap);
    tcase_add_test(entries, a_cut_entry_is_damaged);
    tcase_add_test(entries, an_index_beyond_the_most_is_damaged);
    tcase_add_test(entries, overhead_is_read_back);
    suite_add_tcase(suite, entries);
    return run_suite(suite);
}
