/* json.gecko_timed_samples: damaged entries, and those for which there is no room. */
#include "tests/unit/gecko_timed_scene.h"
#include "tests/unit/run_suite.h"

/* An entry as it is, with its kind. */
static void put_raw(struct chunk_writer *writer, const char *bytes, size_t count)
{
    ck_assert_int_eq(chunk_writer_put(writer, (const uint8_t *)bytes, count), 0);
}

START_TEST(samples_for_which_there_is_no_room_are_left_out_and_counted)
{
    for (uint64_t i = 0; i < 1000; i++) {
        encode_sample(MAIN, 3, i, "ab");
        thread_cpu(MAIN, 3, i);
    }
    own.options.max_held_bytes = 4096;
    make_profile();
    int shown = cJSON_GetArraySize(table_rows(0, "samples"));
    ck_assert_int_gt(shown, 10);
    ck_assert_int_lt(shown, 4096 / 16);
    const cJSON *log =
        get_member(cJSON_GetArrayItem(get_member(own.profile, "profilingLog"), 0), "profd");
    ck_assert_int_eq(get_member(log, "leftOutEntries")->valueint, 2000 - shown);
}
END_TEST

static const struct {
    const char *claim;
    const char *bytes;
    size_t count;
} damaged[] = {
    { "nothing but its kind", "\x26", 1 },
    { "a number that goes on behind the end", "\x26\x01\xff", 3 },
    { "without CPU use", "\x28\x01\x05", 3 },
    { "a thread above 32 bits", "\x28\xff\xff\xff\xff\x1f\x05\x05", 8 },
    { "more behind the end", "\x28\x01\x05\x05\x05", 5 },
    { "CPU use, and more behind the end", "\x29\x01\x05\x05\x05", 5 },
    { "CPU use that goes on behind the end", "\x29\x01\x05\x80", 4 },
    { "frames that nobody wrote", "\x26\x01\x05\x05\x04\x00", 6 },
    { "fewer frames than it says", "\x26\x01\x05\x05\x00\x02\x04", 7 },
    { "more frames than it says", "\x26\x01\x05\x05\x00\x01\x04\x04", 8 },
    { "more frames than there may be", "\x26\x01\x05\x05\x00\x81\x08\x04", 8 },
    { "a truncated one, cut", "\x27\x01\x05\x05\x00\x01\x84", 7 },
    { "a site above 32 bits", "\x27\x01\x05\x05\x00\x01\xff\xff\xff\xff\x7f", 11 },
    { "the same as nothing", "\x28\x01\x05\x05", 4 },
};

START_TEST(a_damaged_entry_is_counted_and_shows_no_stack)
{
    encode_sample(MAIN, 0, 1, "ab");
    chunk_writer_finish(&own.writers[0]);
    put_raw(&own.writers[0], damaged[_i].bytes, damaged[_i].count);
    make_profile();
    ck_assert_msg(bad_blocks() == 1, "%s", damaged[_i].claim);
    for (int i = 1; i < cJSON_GetArraySize(table_rows(0, "samples")); i++)
        ck_assert_str_eq(stack_text(0, i), "-");
    /* What comes after is read. */
    encode_sample(MAIN, 900, 2, "ab");
    encode_sample(MAIN, 901, 3, "ab");
    make_profile();
    int last = cJSON_GetArraySize(table_rows(0, "samples")) - 1;
    ck_assert_msg(bad_blocks() == 1, "%s", damaged[_i].claim);
    ck_assert_int_ge(last, 2);
    for (int i = last - 1; i <= last; i++) {
        ck_assert_str_eq(stack_text(0, i), "ab");
        ck_assert_double_eq(cell_value(table_rows(0, "samples"), i, 3), i == last ? 3 : 2);
    }
}
END_TEST

START_TEST(what_is_the_same_as_a_damaged_stack_has_none)
{
    encode_sample(MAIN, 3, 1, "ab");
    put_raw(&own.writers[0], "\x26\x01\x05\x05\x00\x02\x04", 7);
    encode_sample(MAIN, 4, 2, "ab");
    make_profile();
    ck_assert_uint_eq(bad_blocks(), 1);
    ASSERT_ROWS(0, { 3, 1, "ab" }, { 4, 2, "-" });
}
END_TEST

START_TEST(timed_entries_in_the_chunk_of_a_thread_are_damage)
{
    struct chunk_writer writer;
    chunk_writer_init(&writer, own.manager, MAIN);
    for (char kind = ENTRY_TIMED_SAMPLE; kind <= ENTRY_THREAD_CPU; kind++) {
        const char entry[] = { kind, MAIN, 5, 5 };
        put_raw(&writer, entry, sizeof(entry));
    }
    make_profile();
    ck_assert_uint_eq(bad_blocks(), 4);
    ck_assert_int_eq(cJSON_GetArraySize(table_rows(0, "samples")), 1);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("json.gecko_timed_damage");
    TCase *damage = add_case(suite, "damage");
    tcase_add_test(damage, samples_for_which_there_is_no_room_are_left_out_and_counted);
    tcase_add_loop_test(damage, a_damaged_entry_is_counted_and_shows_no_stack, 0,
                        sizeof(damaged) / sizeof(damaged[0]));
    tcase_add_test(damage, what_is_the_same_as_a_damaged_stack_has_none);
    tcase_add_test(damage, timed_entries_in_the_chunk_of_a_thread_are_damage);
    return run_suite(suite);
}
