/* daemon.restart: sessions that earlier ones left in a folder made here, and no daemon. */
#include <check.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "common/features.h"
#include "daemon/children/child_table.h"
#include "daemon/restart.h"
#include "daemon/session.h"
#include "daemon/session_file.h"
#include "tests/unit/run_suite.h"

enum { LIMIT_BYTES = 64 * LEASE_UNIT_BYTES, INTERVAL_NS = 1000 * 1000, TIMEOUT_S = 30 };

static const struct session_owner user = { SESSION_OWNER_USER, 0 };
static const struct restart_always_on no_always_on = { 0 };

static char folder[64], path[80];
static uv_loop_t loop;
static struct lease_ledger ledger;
static struct child_table table;
static struct session earlier, session;
static struct restart restart;
static unsigned sessions, returns, missing;
static struct session_owner last_missing;
static lease_owner comes_back; /* as a child, whose arena was kept */

static void on_session(void *context)
{
    ck_assert_ptr_eq(context, &loop);
    ck_assert_uint_eq(returns, 0);
    ck_assert(session_is_on(&session));
    sessions++;
}

static void on_return(void *context)
{
    const struct child_introduction who = { .pid = lease_owner_pid(comes_back),
                                            .executable = "x",
                                            .executable_length = 1 };

    ck_assert_ptr_eq(context, &loop);
    returns++;
    if (comes_back != LEASE_OWNER_NOBODY)
        child_table_add(&table, &who)->lease_owner = comes_back;
}

static void on_missing(const struct session_owner *owner, void *context)
{
    ck_assert_ptr_eq(context, &loop);
    last_missing = *owner;
    missing++;
}

static const struct restart_events events = { on_session, on_return, on_missing };

static void init_restart(bool has_successor)
{
    const struct restart_views views = { &session, &table, &ledger, path, has_successor };

    memset(&restart, 0, sizeof(restart));
    ck_assert_int_eq(restart_init(&restart, &loop, &views, &events, &loop), 0);
}

static void set_up(void)
{
    strcpy(folder, "/tmp/profd-restart.XXXXXX");
    ck_assert_ptr_nonnull(mkdtemp(folder));
    snprintf(path, sizeof(path), "%s/socket", folder);
    memset(&table, 0, sizeof(table));
    earlier = session = (struct session){ .generation = 7 };
    sessions = returns = missing = 0;
    comes_back = LEASE_OWNER_NOBODY;
    ck_assert_int_eq(uv_loop_init(&loop), 0);
    int fd = memfd_create("ledger", MFD_CLOEXEC);
    ck_assert_int_eq(lease_ledger_create(fd, 1, LIMIT_BYTES, &ledger), 0);
    close(fd);
    init_restart(true);
}

static void tear_down(void)
{
    char command[128];

    restart_close(&restart);
    restart_close(&restart);
    while (table.first != NULL)
        child_table_remove(&table, table.first);
    lease_ledger_close(&ledger);
    uv_run(&loop, UV_RUN_DEFAULT);
    ck_assert_int_eq(uv_loop_close(&loop), 0);
    snprintf(command, sizeof(command), "rm -rf %s", folder);
    ck_assert_int_eq(system(command), 0);
}

static pid_t ended_process(void)
{
    pid_t pid = fork();
    ck_assert_int_ge(pid, 0);
    if (pid == 0)
        _exit(0);
    ck_assert_int_eq(waitpid(pid, NULL, 0), pid);
    return pid;
}

/* The killed profd had OWNER's session. */
static void begin_earlier(const struct session_owner *owner)
{
    const struct session_settings settings = { .interval_ns = INTERVAL_NS,
                                               .memory_limit_bytes = LIMIT_BYTES };
    const char *refusal;

    ck_assert_int_eq(session_start(&earlier, owner, &settings, 5, &refusal), 0);
    if (earlier.state == SESSION_STARTING)
        session_move(&earlier, SESSION_EVENT_STARTED);
    ck_assert_int_eq(session_file_write(path, &earlier), 0);
}

static void take_over(const struct restart_always_on *always_on)
{
    restart_take_over(&restart, always_on);
}

static lease_owner lease_unit(pid_t pid)
{
    const lease_owner owner = lease_owner_make(pid, 1, false);
    uint32_t unit;

    ck_assert_int_eq(lease_take(&ledger, owner, LEASE_TO_GROW, &unit), 0);
    return owner;
}

/* What a third profd would find. */
static int read_kept(struct session *out)
{
    return session_file_read(path, out);
}

START_TEST(a_session_goes_on_in_its_generation)
{
    struct session kept;

    begin_earlier(&user);
    take_over(&no_always_on);
    ck_assert_uint_eq(sessions, 1);
    ck_assert_uint_eq(returns, 1);
    ck_assert_int_eq(session.state, SESSION_ACTIVE);
    ck_assert_uint_eq(session.generation, earlier.generation);
    ck_assert_uint_eq(session.start_ns, 5);
    ck_assert_uint_eq(session.restart_count, 1);
    ck_assert_int_eq(read_kept(&kept), 0);
    ck_assert_uint_eq(kept.restart_count, 1);
}
END_TEST

START_TEST(one_that_was_over_stays_so_and_who_was_kept_returns_all_the_same)
{
    ck_assert_int_eq(session_file_write(path, &earlier), 0);
    take_over(&no_always_on);
    ck_assert_uint_eq(sessions, 0);
    ck_assert_uint_eq(returns, 1);
    ck_assert_int_eq(session.state, SESSION_IDLE);
    ck_assert(!restart_is_awaiting(&restart));
}
END_TEST

START_TEST(without_a_file_or_with_a_damaged_one_nothing_goes_on)
{
    char name[128];

    take_over(&no_always_on);
    snprintf(name, sizeof(name), "%s." SESSION_FILE_NAME, path);
    FILE *out = fopen(name, "w");
    ck_assert_ptr_nonnull(out);
    ck_assert_int_ge(fputs("{\"generation\": -1", out), 0);
    ck_assert_int_eq(fclose(out), 0);
    take_over(&no_always_on);
    ck_assert_uint_eq(sessions, 0);
    ck_assert_uint_eq(returns, 2);
    ck_assert_int_eq(session.state, SESSION_IDLE);
    ck_assert_uint_eq(session.generation, 7);
    ck_assert_int_eq(session_file_read(path, &earlier), 0); /* the damaged one is told once */
    ck_assert_int_eq(earlier.state, SESSION_IDLE);
}
END_TEST

START_TEST(who_lives_and_had_a_lease_is_awaited_until_its_hello)
{
    const lease_owner living = lease_unit(getpid()), ended = lease_unit(ended_process());

    begin_earlier(&user);
    take_over(&no_always_on);
    ck_assert_uint_eq(session.unseen_count, 1);
    ck_assert_uint_eq(lease_count(&ledger, ended), 0);
    ck_assert_uint_eq(lease_count(&ledger, living), 1);
    ck_assert(restart_is_awaited(&restart, living));
    ck_assert(!restart_is_awaited(&restart, ended));
    restart_note_hello(&restart, ended); /* whom nobody awaits */
    ck_assert(restart_is_awaiting(&restart));
    restart_note_hello(&restart, living);
    ck_assert(!restart_is_awaiting(&restart));
}
END_TEST

START_TEST(who_was_kept_is_awaited_no_more)
{
    comes_back = lease_unit(getpid());
    begin_earlier(&user);
    take_over(&no_always_on);
    ck_assert(!restart_is_awaiting(&restart));
    ck_assert_uint_eq(restart_count_kept(&restart), 1);
}
END_TEST

/* The census remembers that the process exists; its arena was lost with profd-keeper. */
START_TEST(who_is_known_without_its_arena_is_awaited_and_not_kept)
{
    comes_back = lease_owner_make(getpid(), UINT64_C(1) << 30, false);
    (void)lease_unit(getpid());
    begin_earlier(&user);
    take_over(&no_always_on);
    ck_assert(restart_is_awaiting(&restart));
    ck_assert_uint_eq(restart_count_kept(&restart), 0);
}
END_TEST

START_TEST(nobody_is_awaited_for_long_and_a_program_s_session_ends_without_it)
{
    const struct session_owner program = { SESSION_OWNER_PROGRAM, getpid() };

    (void)lease_unit(getpid());
    begin_earlier(&program);
    take_over(&no_always_on);
    ck_assert(restart_is_awaiting(&restart));
    while (restart_is_awaiting(&restart))
        uv_run(&loop, UV_RUN_ONCE);
    ck_assert_uint_eq(missing, 1);
    ck_assert(session_owner_is(&last_missing, &program));
}
END_TEST

START_TEST(the_session_of_a_program_that_has_ended_is_over)
{
    const struct session_owner program = { SESSION_OWNER_PROGRAM, ended_process() };
    struct session kept;

    begin_earlier(&program);
    take_over(&no_always_on);
    ck_assert_uint_eq(sessions, 0);
    ck_assert_int_eq(session.state, SESSION_IDLE);
    ck_assert_int_eq(read_kept(&kept), 0);
    ck_assert_int_eq(kept.state, SESSION_IDLE);
}
END_TEST

START_TEST(the_always_on_session_is_as_this_profd_was_told)
{
    const struct restart_always_on other = { 2 * INTERVAL_NS, LIMIT_BYTES / 2, FEATURE_CPU };

    begin_earlier(&session_owner_always_on);
    take_over(&other);
    ck_assert_uint_eq(session.settings.interval_ns, 2 * INTERVAL_NS);
    ck_assert_uint_eq(session.settings.memory_limit_bytes, LIMIT_BYTES / 2);
    ck_assert_uint_eq(session.settings.features, FEATURE_CPU);
    ck_assert_uint_eq(sessions, 1);
    take_over(&no_always_on);
    ck_assert_int_eq(session.state, SESSION_IDLE);
    ck_assert_uint_eq(sessions, 1);
}
END_TEST

START_TEST(what_nobody_comes_for_is_not_kept)
{
    struct session kept;

    restart_close(&restart);
    uv_run(&loop, UV_RUN_NOWAIT);
    init_restart(false);
    restart_keep_session(&restart);
    ck_assert_int_eq(read_kept(&kept), -ENOENT);
}
END_TEST

START_TEST(a_good_end_leaves_nothing)
{
    struct session kept;

    restart_keep_session(&restart);
    ck_assert_int_eq(read_kept(&kept), 0);
    restart_forget_session(&restart);
    ck_assert_int_eq(read_kept(&kept), -ENOENT);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("daemon.restart");
    TCase *all = tcase_create("restart");
    tcase_add_checked_fixture(all, set_up, tear_down);
    tcase_set_timeout(all, TIMEOUT_S);
    tcase_add_test(all, a_session_goes_on_in_its_generation);
    tcase_add_test(all, one_that_was_over_stays_so_and_who_was_kept_returns_all_the_same);
    tcase_add_test(all, without_a_file_or_with_a_damaged_one_nothing_goes_on);
    tcase_add_test(all, who_lives_and_had_a_lease_is_awaited_until_its_hello);
    tcase_add_test(all, who_was_kept_is_awaited_no_more);
    tcase_add_test(all, who_is_known_without_its_arena_is_awaited_and_not_kept);
    tcase_add_test(all, nobody_is_awaited_for_long_and_a_program_s_session_ends_without_it);
    tcase_add_test(all, the_session_of_a_program_that_has_ended_is_over);
    tcase_add_test(all, the_always_on_session_is_as_this_profd_was_told);
    tcase_add_test(all, what_nobody_comes_for_is_not_kept);
    tcase_add_test(all, a_good_end_leaves_nothing);
    suite_add_tcase(suite, all);
    return run_suite(suite);
}
