#include <check.h>
#include <stdio.h>
#include <stdlib.h>

#include "buffer/arena.h"
#include "buffer/group_table_writer.h"
#include "daemon/metrics/group_totals.h"
#include "tests/unit/run_suite.h"

enum { PROCESSORS = 4 };
#define LIFE_NS UINT64_C(10000000000)

static struct arena arena;
static struct group_totals totals;

static void set_up(void)
{
    const struct arena_room room = { CHUNK_BYTES, ARENA_DICTIONARY_BYTES, GROUP_TABLE_BYTES };
    clock_initialize();
    ck_assert_int_eq(arena_create_leased(&room, NULL, LEASE_OWNER_NOBODY, &arena), 0);
    ck_assert_int_eq(group_totals_init(&totals), 0);
}

static void tear_down(void)
{
    group_totals_fini(&totals);
    arena_destroy(&arena);
}

static struct group_record *add_group(const char *name, unsigned flags)
{
    const struct group_identity identity = { .kind = "tenant", .name = name, .flags = flags };
    struct group_record *record;
    ck_assert_int_eq(group_table_add(&arena, &identity, &record), 0);
    return record;
}

/* The process lives at NOW = LIFE_NS, or has ended then. */
static void look_at_process(const char *program, bool has_ended)
{
    const struct group_owner owner = { .name = "title", .end_ns = has_ended ? LIFE_NS : 0 };
    struct group_part *part;
    ck_assert_int_eq(group_part_read(arena.fd, &owner, &part), 0);
    group_totals_add(&totals, program, part, PROCESSORS, LIFE_NS);
    free(part);
}

/* Of the only group. */
static struct group_sum only_sum(void)
{
    ck_assert_uint_eq(label_sets_count(&totals.labels), 2);
    return group_totals_tell(&totals, 1);
}

START_TEST(processes_of_a_program_are_one)
{
    group_record_commit(add_group("blue", 0), &(struct group_costs){ 3000000, 5000000, 7, 0 });
    look_at_process("server", false);
    look_at_process("server", false);
    const struct group_sum sum = only_sum();
    ck_assert_uint_eq(sum.ticks, 2);
    ck_assert_uint_eq(sum.cpu_ns, 6000000);
    ck_assert_uint_eq(sum.wall_ns, 10000000);
    ck_assert_uint_eq(sum.blocked_ns, 14);
    ck_assert_uint_eq(sum.cpu_within[1], 0);
    ck_assert_uint_eq(sum.cpu_within[2], 2);
    ck_assert_uint_eq(sum.wall_within[2], 0);
}
END_TEST

/* A counter that shrinks tells nonsense to whoever reads it. */
START_TEST(what_a_process_used_stays_when_it_ends)
{
    struct group_record *record = add_group("blue", 0);
    group_record_commit(record, &(struct group_costs){ .cpu_ns = 5 });
    look_at_process("server", false);
    group_record_commit(record, &(struct group_costs){ .cpu_ns = 5 });
    group_totals_begin_look(&totals);
    look_at_process("server", true);
    ck_assert_uint_eq(only_sum().cpu_ns, 10);
    group_totals_begin_look(&totals);
    ck_assert_uint_eq(only_sum().cpu_ns, 10);
    ck_assert_uint_eq(only_sum().ticks, 2);
}
END_TEST

/* What is read of one that works is of no one moment: Prometheus takes any less for a new
 * beginning.
 */
START_TEST(nothing_is_told_as_less_than_before)
{
    struct group_record *record = add_group("blue", 0);
    group_record_commit(record, &(struct group_costs){ .cpu_ns = 5 });
    look_at_process("server", false);
    ck_assert_uint_eq(only_sum().cpu_within[0], 1);
    atomic_store(&record->cpu_exceeded[0], 1);
    group_totals_begin_look(&totals);
    look_at_process("server", false);
    ck_assert_uint_eq(only_sum().cpu_within[0], 1);
    group_totals_begin_look(&totals);
    ck_assert_uint_eq(only_sum().ticks, 1);
}
END_TEST

START_TEST(a_unit_and_a_group_of_one_name_are_two)
{
    struct metric_labels labels;
    group_record_commit(add_group("blue", 0), &(struct group_costs){ .cpu_ns = 5 });
    group_record_commit(add_group("blue", GROUP_IS_UNIT), &(struct group_costs){ .cpu_ns = 5 });
    look_at_process("server", false);
    ck_assert_uint_eq(label_sets_count(&totals.labels), 3);
    label_sets_get(&totals.labels, 2, &labels);
    ck_assert_str_eq(labels.text,
                     "program=\"server\",level=\"unit\",kind=\"tenant\",name=\"blue\"");
}
END_TEST

START_TEST(the_longest_that_runs_is_told)
{
    atomic_store(&add_group("blue", 0)->running_since_ns, LIFE_NS - 7);
    look_at_process("server", false);
    ck_assert_uint_eq(group_totals_running_ns(&totals, 1), 7);
    group_totals_begin_look(&totals);
    look_at_process("server", true);
    ck_assert_uint_eq(group_totals_running_ns(&totals, 1), 0);
}
END_TEST

/* Only what it could have used in its life is believed. */
START_TEST(a_liar_harms_little)
{
    struct group_record *record = add_group("blue", 0);
    atomic_store(&record->ticks, UINT64_MAX);
    atomic_store(&record->cpu_ns, UINT64_MAX);
    atomic_store(&record->wall_ns, UINT64_MAX);
    atomic_store(&record->blocked_ns, UINT64_MAX);
    atomic_store(&record->cpu_exceeded[9], UINT64_MAX);
    look_at_process("server", true);
    const struct group_sum sum = only_sum();
    ck_assert_uint_eq(sum.ticks, LIFE_NS);
    ck_assert_uint_eq(sum.cpu_ns, PROCESSORS * LIFE_NS);
    ck_assert_uint_eq(sum.wall_ns, 1024 * LIFE_NS);
    ck_assert_uint_eq(sum.cpu_within[9], 0);
}
END_TEST

START_TEST(sums_do_not_wrap)
{
    struct group_record *record = add_group("blue", 0);
    atomic_store(&record->wall_ns, UINT64_MAX);
    group_record_commit(record, &(struct group_costs){ .cpu_ns = 1 });
    atomic_store(&record->wall_ns, UINT64_MAX);
    struct group_part *part;
    ck_assert_int_eq(group_part_read(arena.fd, &(struct group_owner){ .name = "" }, &part), 0);
    for (unsigned i = 0; i < 3; i++)
        group_totals_add(&totals, "server", part, PROCESSORS, UINT64_MAX);
    free(part);
    ck_assert_uint_eq(only_sum().wall_ns, UINT64_MAX);
}
END_TEST

START_TEST(a_group_that_never_ran_has_no_labels)
{
    add_group("blue", 0);
    look_at_process("server", false);
    ck_assert_uint_eq(label_sets_count(&totals.labels), 1);
}
END_TEST

START_TEST(too_many_groups_are_other)
{
    char name[32];
    for (unsigned i = 0; i < GROUP_TOTALS_MOST + 10; i++) {
        snprintf(name, sizeof(name), "tenant %u", i);
        group_record_commit(add_group(name, 0), &(struct group_costs){ .cpu_ns = 5 });
    }
    look_at_process("server", true);
    ck_assert_uint_eq(label_sets_count(&totals.labels), GROUP_TOTALS_MOST + 1);
    ck_assert_uint_eq(group_totals_tell(&totals, LABEL_SETS_OTHER).cpu_ns, 50);
    ck_assert_uint_eq(totals.labels.folded_count, 10);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("daemon.group_totals");
    TCase *all = tcase_create("all");
    tcase_add_checked_fixture(all, set_up, tear_down);
    tcase_add_test(all, processes_of_a_program_are_one);
    tcase_add_test(all, what_a_process_used_stays_when_it_ends);
    tcase_add_test(all, nothing_is_told_as_less_than_before);
    tcase_add_test(all, a_unit_and_a_group_of_one_name_are_two);
    tcase_add_test(all, the_longest_that_runs_is_told);
    tcase_add_test(all, a_liar_harms_little);
    tcase_add_test(all, sums_do_not_wrap);
    tcase_add_test(all, a_group_that_never_ran_has_no_labels);
    tcase_add_test(all, too_many_groups_are_other);
    suite_add_tcase(suite, all);
    return run_suite(suite);
}
