/* json.gecko_library_changes: samples are of the library that was at their addresses then. */
#include "tests/unit/gecko_scene.h"
#include "tests/unit/run_suite.h"

enum { PLACE = 0x700000, PLACE_END = 0x710000 };

static const struct stack_frame stack[] = { { 0x401100, false }, { PLACE + 0x100, false } };

static void put_library(const char *path, uint64_t ms)
{
    const struct dictionary_library library = { .time_ns = ns_at(ms * MS),
                                                .start = PLACE,
                                                .end = PLACE_END,
                                                .load_bias = PLACE,
                                                .path = path };
    ck_assert_int_eq(dictionary_put_library(&own.dictionary, &library), 0);
}

static void put_end(uint64_t ms)
{
    ck_assert_int_eq(dictionary_put_library_end(&own.dictionary, ns_at(ms * MS), PLACE), 0);
}

static void put_samples(void)
{
    for (uint64_t ms = 5; ms <= 45; ms += 10) {
        encode_tick(ms);
        encode_sample(MAIN, ms, ms, stack, 2);
    }
    encode_tick(50); /* writes what waits */
}

static double number_of(const cJSON *library, const char *name)
{
    return get_member(library, name)->valuedouble;
}

/* The name of the library that has the innermost frame of the main thread's sample at POSITION,
 * which is where it is in the file. */
static const char *library_of_sample(int position)
{
    const cJSON *thread = thread_at(0), *library;
    const int leaf =
        cJSON_GetArrayItem(cJSON_GetArrayItem(table_rows(thread, "samples"), position), 0)
            ->valueint;
    const int frame =
        cJSON_GetArrayItem(cJSON_GetArrayItem(table_rows(thread, "stackTable"), leaf), 1)->valueint;
    const int location =
        cJSON_GetArrayItem(cJSON_GetArrayItem(table_rows(thread, "frameTable"), frame), 0)
            ->valueint;
    const char *text = cJSON_GetArrayItem(get_member(thread, "stringTable"), location)->valuestring;
    const double address = (double)strtoull(text, NULL, 16);
    const char *name = NULL;
    cJSON_ArrayForEach(library, get_member(own.profile, "libs"))
    {
        if (address < number_of(library, "start") || address >= number_of(library, "end"))
            continue;
        ck_assert_ptr_null(name);
        name = get_member(library, "name")->valuestring;
        ck_assert_double_eq(address - number_of(library, "start") + number_of(library, "offset"),
                            0x100);
    }
    ck_assert_ptr_nonnull(name);
    return name;
}

static void assert_libraries(const char *const names[], int count)
{
    for (int i = 0; i < count; i++)
        ck_assert_str_eq(library_of_sample(i), names[i]);
}

START_TEST(each_sample_is_of_the_library_of_its_time)
{
    put_process();
    put_library("/lib/one.so", 0);
    put_end(10);
    put_library("/lib/two.so", 10);
    put_end(30);
    put_library("/lib/one.so", 30);
    put_samples();
    make_profile();
    const char *const names[] = { "one.so", "two.so", "two.so", "one.so", "one.so" };
    assert_libraries(names, 5);
}
END_TEST

/* Its first sample may be older than what tells of it. */
START_TEST(a_library_that_is_told_of_late_has_the_samples_before)
{
    put_process();
    put_library("/lib/one.so", 0);
    put_end(10);
    put_library("/lib/two.so", 17);
    put_samples();
    make_profile();
    const char *const names[] = { "one.so", "two.so", "two.so", "two.so", "two.so" };
    assert_libraries(names, 5);
}
END_TEST

START_TEST(a_library_alone_stays_where_it_is)
{
    put_process();
    put_library("/lib/one.so", 0);
    put_end(10);
    put_library("/lib/one.so", 20);
    put_end(30);
    put_samples();
    make_profile();
    const char *const names[] = { "one.so", "one.so", "one.so", "one.so", "one.so" };
    assert_libraries(names, 5);
    const cJSON *library = cJSON_GetArrayItem(get_member(own.profile, "libs"), 1);
    ck_assert_double_eq(number_of(library, "start"), PLACE);
}
END_TEST

START_TEST(an_end_of_nothing_is_nothing)
{
    put_process();
    put_end(1);
    put_library("/lib/one.so", 2);
    put_samples();
    make_profile();
    const char *const names[] = { "one.so" };
    assert_libraries(names, 1);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("json.gecko_library_changes");
    TCase *all = add_case(suite, "all");
    tcase_add_test(all, each_sample_is_of_the_library_of_its_time);
    tcase_add_test(all, a_library_that_is_told_of_late_has_the_samples_before);
    tcase_add_test(all, a_library_alone_stays_where_it_is);
    tcase_add_test(all, an_end_of_nothing_is_nothing);
    return run_suite(suite);
}
