#include <check.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <uv.h>

#include "buffer/arena.h"
#include "buffer/file_range.h"
#include "buffer/group_table_writer.h"
#include "daemon/groups/group_tables.h"
#include "daemon/triggers/trigger_watch.h"
#include "tests/unit/run_suite.h"

enum { MS = 1000000 };

static uv_loop_t loop;
static struct arena arena;
static struct group_record *record;
static struct trigger_set set;
static struct trigger_watch watch;
static unsigned alerts;
static char last_cause[16], last_what[256];
static uint64_t last_times;
static int write_error;

/* A snapshot of the one process that there is. */
static int write_groups(void *owner, int fd)
{
    const struct group_owner process = { .name = "server", .pid = getpid() };
    struct group_snapshot_head head = {
        .magic = GROUP_SNAPSHOT_MAGIC, .processes = 1, .now_ns = uv_hrtime(), .processors = 1
    };
    struct group_part *part;
    (void)owner;
    ck_assert_int_eq(group_part_read(arena.fd, &process, &part), 0);
    ck_assert_int_eq(file_range_write(fd, &head, sizeof(head), 0), 0);
    ck_assert_int_eq(file_range_write(fd, &part->process, part->process.bytes, sizeof(head)), 0);
    free(part);
    return write_error;
}

static void visit_processes(void *owner, trigger_watch_visit *visit, void *context)
{
    (void)owner;
    visit(getpid(), 1, context);
}

static void on_alert(void *owner, const char *cause, const char *what, pid_t pid, uint64_t times)
{
    ck_assert_ptr_eq(owner, &alerts);
    ck_assert_int_eq(pid, getpid());
    alerts++;
    last_times = times;
    snprintf(last_cause, sizeof(last_cause), "%s", cause);
    snprintf(last_what, sizeof(last_what), "%s", what);
}

static void set_up(void)
{
    static const struct trigger_watch_events events = { write_groups, visit_processes, on_alert };
    const struct arena_room room = { CHUNK_BYTES, ARENA_DICTIONARY_BYTES, GROUP_TABLE_BYTES };
    const struct group_identity blue = { .kind = "tenant", .name = "blue" };
    clock_initialize();
    ck_assert_int_eq(arena_create_leased(&room, NULL, LEASE_OWNER_NOBODY, &arena), 0);
    ck_assert_int_eq(group_table_add(&arena, &blue, &record), 0);
    ck_assert_int_eq(uv_loop_init(&loop), 0);
    ck_assert_int_eq(trigger_watch_init(&watch, &loop, &events, &alerts), 0);
}

static void tear_down(void)
{
    trigger_watch_close(&watch);
    uv_run(&loop, UV_RUN_DEFAULT);
    ck_assert_int_eq(uv_loop_close(&loop), 0);
    arena_destroy(&arena);
}

static void follow_trigger(const char *trigger)
{
    set.count = 1;
    ck_assert_int_eq(trigger_parse(trigger, strlen(trigger), &set.triggers[0]), 0);
    trigger_watch_follow(&watch, &set);
}

static void run_iteration(uint64_t cpu_ns)
{
    group_record_commit(record, &(struct group_costs){ .cpu_ns = cpu_ns, .wall_ns = cpu_ns });
}

START_TEST(a_janky_group_is_told_once)
{
    run_iteration(100 * MS); /* before anybody looked */
    follow_trigger("jank:64ms");
    ck_assert(trigger_watch_needs_groups(&watch));
    run_iteration(100 * MS);
    run_iteration(100 * MS);
    run_iteration(10 * MS);
    trigger_watch_look(&watch, uv_hrtime());
    ck_assert_uint_eq(alerts, 1);
    ck_assert_uint_eq(last_times, 2);
    ck_assert_str_eq(last_cause, "jank");
    ck_assert_ptr_nonnull(strstr(last_what, "tenant blue in server"));
    trigger_watch_look(&watch, uv_hrtime());
    ck_assert_uint_eq(alerts, 1);
}
END_TEST

/* A thread that ends leaves its record to the next one of its name. */
START_TEST(what_another_thread_did_is_no_news)
{
    run_iteration(100 * MS);
    follow_trigger("jank:64ms");
    atomic_store(&record->thread, 1234);
    run_iteration(1 * MS);
    trigger_watch_look(&watch, uv_hrtime());
    ck_assert_uint_eq(alerts, 0);
}
END_TEST

/* Of many groups and iterations, one line. */
START_TEST(a_look_is_one_alert)
{
    const struct group_identity red = { .kind = "tenant", .name = "red" };
    struct group_record *other;
    ck_assert_int_eq(group_table_add(&arena, &red, &other), 0);
    follow_trigger("jank:64ms");
    run_iteration(100 * MS);
    group_record_commit(other, &(struct group_costs){ .cpu_ns = 100 * MS });
    trigger_watch_look(&watch, uv_hrtime());
    ck_assert_uint_eq(alerts, 1);
    ck_assert_uint_eq(last_times, 2);
    ck_assert_ptr_nonnull(strstr(last_what, ", and 1 more"));
}
END_TEST

START_TEST(groups_that_are_no_loop_have_no_delay)
{
    follow_trigger("delay:64ms");
    run_iteration(100 * MS);
    trigger_watch_look(&watch, uv_hrtime());
    ck_assert_uint_eq(alerts, 0);
}
END_TEST

/* The timer looks by itself. */
START_TEST(a_busy_process_is_told)
{
    follow_trigger("cpu:1%/1ms");
    ck_assert(!trigger_watch_needs_groups(&watch));
    while (alerts == 0)
        uv_run(&loop, UV_RUN_NOWAIT);
    ck_assert_str_eq(last_cause, "cpu");
}
END_TEST

START_TEST(what_cannot_be_read_is_no_alert)
{
    write_error = -ENOMEM;
    follow_trigger("jank:64ms");
    run_iteration(100 * MS);
    trigger_watch_look(&watch, uv_hrtime());
    write_error = 0;
    trigger_watch_look(&watch, uv_hrtime()); /* the first that worked */
    ck_assert_uint_eq(alerts, 0);
    run_iteration(100 * MS);
    trigger_watch_look(&watch, uv_hrtime());
    ck_assert_uint_eq(alerts, 1);
}
END_TEST

START_TEST(other_triggers_are_not_looked_for)
{
    follow_trigger("signal");
    ck_assert(!trigger_watch_needs_groups(&watch));
    ck_assert(!uv_is_active((uv_handle_t *)&watch.timer));
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("daemon.trigger_watch");
    TCase *all = tcase_create("all");
    tcase_add_checked_fixture(all, set_up, tear_down);
    tcase_add_test(all, a_janky_group_is_told_once);
    tcase_add_test(all, what_another_thread_did_is_no_news);
    tcase_add_test(all, a_look_is_one_alert);
    tcase_add_test(all, groups_that_are_no_loop_have_no_delay);
    tcase_add_test(all, a_busy_process_is_told);
    tcase_add_test(all, what_cannot_be_read_is_no_alert);
    tcase_add_test(all, other_triggers_are_not_looked_for);
    suite_add_tcase(suite, all);
    return run_suite(suite);
}
