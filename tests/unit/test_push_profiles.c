/* profctl.push: rows of an export as profiles of pprof and of OTLP. */
#include <check.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "profctl/convert/pprof.pb-c.h"
#include "profctl/push/minute_pprof.h"
#include "profctl/push/otlp.pb-c.h"
#include "profctl/push/push.pb-c.h"
#include "profctl/push/push_otlp.h"
#include "profctl/push/push_series.h"
#include "tests/unit/run_suite.h"

enum { MINUTE_S = 1700000040 };

static const uint64_t every_ns = UINT64_C(60000000000);

static struct export_rows rows;
static struct push_groups groups;
static struct mapped_array out;

static void put_text(struct row_writer *columns, const char *text)
{
    row_write_string(columns, text, strlen(text));
}

/* The columns of source_labels.h. */
static uint32_t add_source(const char *program, const char *thread)
{
    struct row_writer columns = { 0 };
    const char *const fields[] = { "web", "host", program, "1.2", "", "", thread };

    for (size_t i = 0; i < sizeof(fields) / sizeof(fields[0]); i++)
        put_text(&columns, fields[i]);
    row_write_length(&columns, 1);
    put_text(&columns, "zone");
    row_write_length(&columns, 1);
    put_text(&columns, "eu");
    uint32_t number = export_rows_source(&rows, &columns);
    row_writer_free(&columns);
    return number;
}

/* Of the build BUILD_ID of app. */
static uint32_t add_stack(size_t depth, const char *const *frames, const char *build_id)
{
    struct row_writer columns = { 0 };

    row_write_length(&columns, depth);
    for (size_t i = 0; i < depth; i++)
        put_text(&columns, frames[i]);
    row_write_length(&columns, 1); /* modules */
    put_text(&columns, "app");
    row_write_length(&columns, 1);
    put_text(&columns, build_id);
    uint32_t number = export_rows_stack(&rows, &columns);
    row_writer_free(&columns);
    return number;
}

static void note_file(const char *name, const char *file)
{
    ck_assert_int_eq(frame_files_note(&rows.files, name, strlen(name), file, strlen(file)), 0);
}

static void add_sums(uint32_t minute_s, uint32_t source_number, uint32_t stack_number,
                     const struct sums *sums)
{
    const struct sum_key key = { minute_s, source_number, stack_number };

    ck_assert_int_eq(sum_table_add(&rows.sums, &key, sums), 0);
}

/* Two threads of one program, another program, and another minute. */
static void set_up(void)
{
    static const char *const frames[] = { "main (in app)", "work (in app)" };

    export_rows_init(&rows);
    groups = (struct push_groups){ 0 };
    out = (struct mapped_array){ 0 };
    uint32_t deep = add_stack(2, frames, "b1"), flat = add_stack(1, frames, "b1");
    uint32_t none = add_stack(0, NULL, "b1");
    note_file("main (in app)", "/src/main.c");
    note_file("work (in app)", "/src/work.c");
    add_sums(MINUTE_S, add_source("app", "worker \"1\""), deep,
             &(struct sums){ 7000000, 5, 4096, 2, 90000000 });
    add_sums(MINUTE_S, add_source("other", "main thread"), flat,
             &(struct sums){ .cpu_ns = 1000, .samples = 1 });
    add_sums(MINUTE_S, add_source("app", "main thread"), flat,
             &(struct sums){ .cpu_ns = -1000, .samples = 1 });
    add_sums(MINUTE_S, add_source("app", "main thread"), none,
             &(struct sums){ .cpu_ns = 500, .samples = 0 });
    add_sums(MINUTE_S + 60, add_source("app", "main thread"), flat,
             &(struct sums){ .cpu_ns = 9, .samples = 1 });
    ck_assert_int_eq(push_groups_make(&groups, &rows), 0);
}

static void tear_down(void)
{
    push_groups_free(&groups);
    export_rows_fini(&rows);
    mapped_array_free(&out);
}

static bool is_text(const struct push_text *text, const char *expected)
{
    return text->length == strlen(expected) && memcmp(text->bytes, expected, text->length) == 0;
}

START_TEST(threads_of_a_program_are_one_group)
{
    struct push_group group;
    size_t next = 0;

    ck_assert(push_groups_next(&groups, &rows, &next, &group));
    ck_assert_uint_eq(group.count, 3);
    ck_assert_uint_eq(group.minute_s, MINUTE_S);
    ck_assert(is_text(&group.source.fields[PUSH_PROGRAM], "app"));
    ck_assert(is_text(&group.source.keys[0], "zone"));
    ck_assert(is_text(&group.source.values[0], "eu"));
    ck_assert(push_groups_next(&groups, &rows, &next, &group));
    ck_assert(is_text(&group.source.fields[PUSH_PROGRAM], "other"));
    ck_assert(push_groups_next(&groups, &rows, &next, &group));
    ck_assert_uint_eq(group.minute_s, MINUTE_S + 60);
    ck_assert(!push_groups_next(&groups, &rows, &next, &group));
}
END_TEST

START_TEST(columns_that_are_none_are_refused)
{
    struct row_writer columns = { 0 };
    struct push_groups none = { 0 };

    put_text(&columns, "web");
    uint32_t bad = export_rows_source(&rows, &columns);
    add_sums(MINUTE_S, bad, 0, &(struct sums){ .cpu_ns = 1, .samples = 1 });
    ck_assert_int_eq(push_groups_make(&none, &rows), -ENODATA);
    push_groups_free(&none);
    row_writer_free(&columns);
}
END_TEST

/* --- pprof --- */

/* As in minute_profiles. */
enum { CPU, MEMORY, JANK };

static Pprof__Profile *pprof_of_first(int what)
{
    struct push_group group;
    size_t next = 0;

    ck_assert(push_groups_next(&groups, &rows, &next, &group));
    ck_assert_int_eq(minute_pprof_write(&rows, &group, &minute_profiles[what], every_ns, &out), 1);
    Pprof__Profile *profile = pprof__profile__unpack(NULL, out.count, out.items);
    ck_assert_ptr_nonnull(profile);
    return profile;
}

static const char *name_of(const Pprof__Profile *profile, uint64_t location)
{
    const Pprof__Location *found = profile->location[location - 1];

    return profile->string_table[profile->function[found->line[0]->function_id - 1]->name];
}

START_TEST(a_group_is_a_profile_of_pprof)
{
    Pprof__Profile *profile = pprof_of_first(CPU);
    const Pprof__Sample *deep = profile->sample[0];

    ck_assert_uint_eq(profile->n_sample_type, 2);
    ck_assert_str_eq(profile->string_table[profile->sample_type[1]->type], "cpu");
    ck_assert_str_eq(profile->string_table[profile->period_type->unit], "nanoseconds");
    ck_assert_uint_eq(profile->n_sample, 3);
    ck_assert_int_eq(deep->value[0], 5);
    ck_assert_int_eq(deep->value[1], 7000000);
    ck_assert_str_eq(name_of(profile, deep->location_id[0]), "work");
    ck_assert_str_eq(name_of(profile, deep->location_id[1]), "main");
    ck_assert_str_eq(profile->string_table[deep->label[0]->str], "worker \"1\"");
    ck_assert_int_eq(profile->sample[1]->value[1], 0); /* below 0 */
    ck_assert_int_eq(profile->time_nanos, MINUTE_S * INT64_C(1000000000));
    ck_assert_int_eq(profile->duration_nanos, (int64_t)every_ns);
    pprof__profile__free_unpacked(profile, NULL);
}
END_TEST

START_TEST(functions_have_files_and_mappings_build_ids)
{
    Pprof__Profile *profile = pprof_of_first(CPU);
    char **texts = profile->string_table;
    const Pprof__Location *work = profile->location[profile->sample[0]->location_id[0] - 1];

    ck_assert_str_eq(texts[profile->function[work->line[0]->function_id - 1]->filename],
                     "/src/work.c");
    ck_assert_uint_eq(profile->n_mapping, 1);
    ck_assert_uint_eq(work->mapping_id, profile->mapping[0]->id);
    ck_assert_str_eq(texts[profile->mapping[0]->filename], "app");
    ck_assert_str_eq(texts[profile->mapping[0]->build_id], "b1");
    pprof__profile__free_unpacked(profile, NULL);
}
END_TEST

/* Functions of one name may be static ones of two files: none is named then. */
START_TEST(what_is_not_sure_is_not_told)
{
    note_file("work (in app)", "/src/other.c");
    note_file("work (in app)", "/src/work.c");
    Pprof__Profile *profile = pprof_of_first(CPU);
    const Pprof__Location *work = profile->location[profile->sample[0]->location_id[0] - 1];

    ck_assert_int_eq(profile->function[work->line[0]->function_id - 1]->filename, 0);
    pprof__profile__free_unpacked(profile, NULL);
}
END_TEST

START_TEST(two_builds_of_a_library_are_two_mappings)
{
    static const char *const frames[] = { "main (in app)" };

    push_groups_free(&groups);
    add_sums(MINUTE_S, add_source("app", "main thread"), add_stack(1, frames, "b2"),
             &(struct sums){ .cpu_ns = 7, .samples = 1 });
    ck_assert_int_eq(push_groups_make(&groups, &rows), 0);
    Pprof__Profile *profile = pprof_of_first(CPU);

    ck_assert_uint_eq(profile->n_mapping, 2);
    ck_assert_str_eq(profile->string_table[profile->mapping[0]->build_id], "b1");
    ck_assert_str_eq(profile->string_table[profile->mapping[1]->build_id], "b2");
    ck_assert_uint_eq(profile->n_function, 3);
    pprof__profile__free_unpacked(profile, NULL);
}
END_TEST

START_TEST(allocations_are_a_profile_of_their_own)
{
    Pprof__Profile *profile = pprof_of_first(MEMORY);

    ck_assert_uint_eq(profile->n_sample, 1);
    ck_assert_int_eq(profile->sample[0]->value[0], 2);
    ck_assert_int_eq(profile->sample[0]->value[1], 4096);
    pprof__profile__free_unpacked(profile, NULL);
}
END_TEST

START_TEST(jank_is_a_profile_of_one_value)
{
    Pprof__Profile *profile = pprof_of_first(JANK);

    ck_assert_uint_eq(profile->n_sample_type, 1);
    ck_assert_str_eq(profile->string_table[profile->default_sample_type], "jank");
    ck_assert_uint_eq(profile->n_sample, 1);
    ck_assert_uint_eq(profile->sample[0]->n_value, 1);
    ck_assert_int_eq(profile->sample[0]->value[0], 90000000);
    pprof__profile__free_unpacked(profile, NULL);
}
END_TEST

START_TEST(a_group_without_allocations_has_no_such_profile)
{
    struct push_group group;
    size_t next = 0;

    ck_assert(push_groups_next(&groups, &rows, &next, &group));
    ck_assert(push_groups_next(&groups, &rows, &next, &group));
    ck_assert_int_eq(minute_pprof_write(&rows, &group, &minute_profiles[MEMORY], every_ns, &out),
                     0);
}
END_TEST

START_TEST(series_follow_each_other_in_a_request)
{
    struct push_group group;
    size_t next = 0;

    while (push_groups_next(&groups, &rows, &next, &group))
        ck_assert_int_eq(push_series_add(&rows, &group, EXPORT_PYROSCOPE, every_ns, &out), 0);
    Push__PyroscopeRequest *request = push__pyroscope_request__unpack(NULL, out.count, out.items);
    ck_assert_ptr_nonnull(request);
    ck_assert_uint_eq(request->n_series, 5); /* CPU of three groups, and allocations of one */
    ck_assert_str_eq(request->series[1]->labels[0]->value, "memory");
    ck_assert_uint_eq(request->series[0]->n_samples, 1);
    push__pyroscope_request__free_unpacked(request, NULL);
}
END_TEST

/* --- OTLP --- */

static Otlp__Request *otlp_of_all(void)
{
    struct push_otlp otlp;
    struct push_group group;
    size_t next = 0;

    ck_assert_int_eq(push_otlp_init(&otlp, &rows), 0);
    ck_assert_uint_eq(push_otlp_bytes(&otlp), 0);
    while (push_groups_next(&groups, &rows, &next, &group))
        ck_assert_int_eq(push_otlp_add(&otlp, &group, every_ns), 0);
    ck_assert_uint_gt(push_otlp_bytes(&otlp), 0);
    ck_assert_int_eq(push_otlp_finish(&otlp), 0);
    Otlp__Request *request = otlp__request__unpack(NULL, otlp.out.count, otlp.out.items);
    ck_assert_ptr_nonnull(request);
    ck_assert_uint_eq(push_otlp_bytes(&otlp), 0);
    push_otlp_fini(&otlp);
    return request;
}

static const char *function_at(const Otlp__Dictionary *all, const Otlp__Stack *of, size_t depth)
{
    const Otlp__Location *location = all->location_table[of->location_indices[depth]];
    const Otlp__Function *function = all->function_table[location->lines[0]->function_index];

    return all->string_table[function->name_strindex];
}

START_TEST(each_value_is_a_profile_of_otlp)
{
    Otlp__Request *request = otlp_of_all();
    const Otlp__Dictionary *all = request->dictionary;
    const Otlp__ScopeProfiles *scope = request->resource_profiles[0]->scope_profiles[0];
    const Otlp__Profile *cpu = scope->profiles[1];

    ck_assert_uint_eq(request->n_resource_profiles, 3);
    ck_assert_uint_eq(scope->n_profiles, 5);
    ck_assert_str_eq(all->string_table[cpu->sample_type->type_strindex], "cpu");
    ck_assert_uint_eq(cpu->n_samples, 2); /* below 0 is none */
    ck_assert_int_eq(cpu->samples[0]->values[0], 7000000);
    ck_assert_int_eq(cpu->samples[1]->stack_index, 0); /* no frames */
    const Otlp__Stack *deep = all->stack_table[cpu->samples[0]->stack_index];
    ck_assert_uint_eq(deep->n_location_indices, 2);
    ck_assert_str_eq(function_at(all, deep, 0), "work");
    ck_assert_str_eq(function_at(all, deep, 1), "main");
    const Otlp__Attribute *thread = all->attribute_table[cpu->samples[0]->attribute_indices[0]];
    ck_assert_str_eq(all->string_table[thread->key_strindex], "thread.name");
    ck_assert_str_eq(thread->value->string_value, "worker \"1\"");
    ck_assert_uint_eq(cpu->time_unix_nano, MINUTE_S * UINT64_C(1000000000));
    const Otlp__Mapping *mapping = all->mapping_table[1];
    ck_assert_str_eq(all->string_table[mapping->filename_strindex], "app");
    const Otlp__Attribute *build = all->attribute_table[mapping->attribute_indices[0]];
    ck_assert_str_eq(all->string_table[build->key_strindex], "process.executable.build_id.gnu");
    ck_assert_str_eq(build->value->string_value, "b1");
    ck_assert_str_eq(all->string_table[all->function_table[1]->filename_strindex], "/src/main.c");
    otlp__request__free_unpacked(request, NULL);
}
END_TEST

START_TEST(what_is_shared_is_there_once_behind_an_empty_one)
{
    Otlp__Request *request = otlp_of_all();
    const Otlp__Dictionary *all = request->dictionary;

    ck_assert_uint_eq(all->n_stack_table, 3);
    ck_assert_uint_eq(all->stack_table[0]->n_location_indices, 0);
    ck_assert_uint_eq(all->n_function_table, 3);
    ck_assert_uint_eq(all->n_location_table, 3);
    ck_assert_uint_eq(all->n_mapping_table, 2);
    ck_assert_uint_eq(all->n_attribute_table, 4); /* two threads, and a build id */
    ck_assert_uint_eq(all->n_link_table, 1);
    ck_assert_str_eq(all->string_table[0], "");
    for (size_t i = 0; i < all->n_string_table; i++)
        for (size_t k = 0; k < i; k++)
            ck_assert_str_ne(all->string_table[i], all->string_table[k]);
    otlp__request__free_unpacked(request, NULL);
}
END_TEST

/* A function of that name that two libraries have, and no file for either. */
START_TEST(no_two_functions_are_the_same)
{
    static const char *const of_app[] = { "_start (in app)" }, *const of_other[] = {
        "_start (in other)"
    };

    push_groups_free(&groups);
    add_sums(MINUTE_S, add_source("app", "main thread"), add_stack(1, of_app, "b1"),
             &(struct sums){ .cpu_ns = 7, .samples = 1 });
    add_sums(MINUTE_S, add_source("app", "main thread"), add_stack(1, of_other, "b1"),
             &(struct sums){ .cpu_ns = 8, .samples = 1 });
    ck_assert_int_eq(push_groups_make(&groups, &rows), 0);
    Otlp__Request *request = otlp_of_all();
    const Otlp__Dictionary *all = request->dictionary;

    ck_assert_uint_eq(all->n_location_table, 1 + 4);
    ck_assert_uint_eq(all->n_function_table, 1 + 3);
    for (size_t i = 1; i < all->n_location_table; i++)
        ck_assert_int_lt(all->location_table[i]->lines[0]->function_index, 1 + 3);
    otlp__request__free_unpacked(request, NULL);
}
END_TEST

START_TEST(the_empty_link_has_ids_of_their_usual_sizes)
{
    static const uint8_t zeros[16];
    Otlp__Request *request = otlp_of_all();
    const Otlp__Link *link = request->dictionary->link_table[0];

    ck_assert_uint_eq(link->trace_id.len, 16);
    ck_assert_mem_eq(link->trace_id.data, zeros, 16);
    ck_assert_uint_eq(link->span_id.len, 8);
    ck_assert_mem_eq(link->span_id.data, zeros, 8);
    otlp__request__free_unpacked(request, NULL);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("push_profiles");
    TCase *all = tcase_create("all");

    tcase_add_checked_fixture(all, set_up, tear_down);
    tcase_add_test(all, threads_of_a_program_are_one_group);
    tcase_add_test(all, columns_that_are_none_are_refused);
    tcase_add_test(all, a_group_is_a_profile_of_pprof);
    tcase_add_test(all, functions_have_files_and_mappings_build_ids);
    tcase_add_test(all, what_is_not_sure_is_not_told);
    tcase_add_test(all, two_builds_of_a_library_are_two_mappings);
    tcase_add_test(all, allocations_are_a_profile_of_their_own);
    tcase_add_test(all, jank_is_a_profile_of_one_value);
    tcase_add_test(all, a_group_without_allocations_has_no_such_profile);
    tcase_add_test(all, series_follow_each_other_in_a_request);
    tcase_add_test(all, each_value_is_a_profile_of_otlp);
    tcase_add_test(all, what_is_shared_is_there_once_behind_an_empty_one);
    tcase_add_test(all, no_two_functions_are_the_same);
    tcase_add_test(all, the_empty_link_has_ids_of_their_usual_sizes);
    suite_add_tcase(suite, all);
    return run_suite(suite);
}
