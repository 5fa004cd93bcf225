/* daemon.census: a ring, real processes, a real loop, and no daemon. */
#include <check.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "buffer/lease_ledger.h"
#include "daemon/agents/agents.h"
#include "daemon/census/census.h"
#include "daemon/census/census_recall.h"
#include "daemon/children/child_table.h"
#include "daemon/children/process_program.h"
#include "daemon/paths.h"
#include "daemon/session.h"

enum { START_NS = 1000, LOOP_ENDS_MS = 20 * 1000 };

static uv_loop_t loop;
static uv_timer_t limit;
static struct session session;
static struct install_paths paths;
static struct lease_ledger ledger;
static struct child_table table;
static struct agents agents;
static struct census census;
static pid_t process, worker;
static unsigned wishes, told_ends, ends;

/* --- What happens --- */

static void on_agents_event(void *context)
{
    ck_assert_ptr_eq(context, &agents);
}

static void on_end(struct child *child, void *context)
{
    on_agents_event(context);
    agents_detach_process(child);
    agents_store(&agents, child);
    ends++;
}

static void on_verdict(struct child *child, void *context)
{
    on_agents_event(context);
    ck_assert_int_eq(child->state, CHILD_ENDED);
}

static void on_forgotten(struct child *child, void *context)
{
    on_agents_event(context);
    ck_assert_ptr_nonnull(child);
}

static const struct agents_events agents_events = {
    .on_news_wanted = on_agents_event,
    .on_replaced = on_agents_event,
    .on_end = on_end,
    .on_verdict = on_verdict,
    .on_forgotten = on_forgotten,
    .on_ended_count = on_agents_event,
};

static bool is_own_worker(pid_t pid, void *context)
{
    ck_assert_ptr_eq(context, &census);
    return pid == worker;
}

static void on_loan_request(struct child *child, void *context)
{
    ck_assert_ptr_eq(context, &census);
    ck_assert_ptr_nonnull(child);
    wishes++;
}

static void on_end_told(pid_t pid, int wait_status, void *context)
{
    ck_assert_ptr_eq(context, &census);
    ck_assert_int_eq(pid, process);
    ck_assert_int_eq(wait_status, SIGKILL);
    told_ends++;
}

static const struct census_events events = { is_own_worker, on_loan_request, on_end_told };

/* --- A census without a daemon --- */

static void on_limit(uv_timer_t *timer)
{
    (void)timer;
    ck_abort_msg("nothing happened in %d ms", LOOP_ENDS_MS);
}

static void begin_parts(void)
{
    const struct agents_views agents_views = { .loop = &loop,
                                               .session = &session,
                                               .children = &table };
    const struct census_views views = { &session, &paths, &ledger, &table, &agents };

    agents_init(&agents, &agents_views, &agents_events, &agents);
    memset(&census, 0, sizeof(census));
    ck_assert_int_eq(census_init(&census, &loop, &views, &events, &census), 0);
}

/* A program that has no agent, and lives until it is killed. */
static void begin_process(void)
{
    int until_exec[2];
    char byte;

    ck_assert_int_eq(pipe2(until_exec, O_CLOEXEC), 0);
    process = fork();
    ck_assert_int_ge(process, 0);
    if (process == 0) {
        execlp("sleep", "sleep", "1000", (char *)NULL);
        _exit(127);
    }
    close(until_exec[1]);
    ck_assert_int_eq(read(until_exec[0], &byte, 1), 0);
    close(until_exec[0]);
}

static void set_up(void)
{
    memset(&table, 0, sizeof(table));
    wishes = told_ends = ends = 0;
    worker = -1;
    session = (struct session){ .state = SESSION_ACTIVE, .generation = 3, .start_ns = START_NS };
    ledger.ring =
        mmap(NULL, sizeof(*ledger.ring), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    ck_assert_ptr_ne(ledger.ring, MAP_FAILED);
    ck_assert_int_eq(uv_loop_init(&loop), 0);
    ck_assert_int_eq(uv_timer_init(&loop, &limit), 0);
    ck_assert_int_eq(uv_timer_start(&limit, on_limit, LOOP_ENDS_MS, 0), 0);
    begin_parts();
    begin_process();
}

static void tear_down(void)
{
    kill(process, SIGKILL);
    waitpid(process, NULL, 0);
    census_close(&census);
    census_close(&census);
    while (table.first != NULL) {
        agents_detach_process(table.first);
        agents_forget(&agents, table.first);
    }
    uv_close((uv_handle_t *)&limit, NULL);
    uv_run(&loop, UV_RUN_DEFAULT);
    ck_assert_int_eq(uv_loop_close(&loop), 0);
    munmap(ledger.ring, sizeof(*ledger.ring));
}

static void put_entry(enum census_kind kind, uint64_t time_ns, int wait_status)
{
    struct census_entry entry = { .kind = kind,
                                  .pid = process,
                                  .parent_pid = getpid(),
                                  .time_ns = time_ns,
                                  .cpu_ns = 5,
                                  .wait_status = wait_status };

    census_ring_set_path(&entry, "/bin/sleep");
    census_ring_set_command_line(&entry,
                                 "sleep\0"
                                 "1000",
                                 10);
    census_ring_put(ledger.ring, &entry);
}

static const struct child *latest_child(void)
{
    return child_table_find_latest(&table, process);
}

/* --- Tests --- */

START_TEST(who_is_present_is_a_dormant_child)
{
    put_entry(CENSUS_PRESENT, START_NS + 1, 0);
    census_read(&census);
    ck_assert_ptr_nonnull(latest_child());
    ck_assert_int_eq(latest_child()->dormancy, CHILD_DORMANT);
    ck_assert_str_eq(latest_child()->executable, "/bin/sleep");
    ck_assert_uint_eq(latest_child()->arguments_bytes, 10);
    ck_assert_ptr_nonnull(latest_child()->watch);
    put_entry(CENSUS_WISH, START_NS + 2, 0);
    census_read(&census);
    ck_assert_uint_eq(wishes, 1);
    put_entry(CENSUS_ENDED, START_NS + 3, SIGKILL);
    census_read(&census);
    ck_assert_int_eq(latest_child()->verdict, VERDICT_KILLED);
    ck_assert_uint_eq(latest_child()->cpu.used_ns, 5);
    ck_assert_uint_eq(ends, 1);
}
END_TEST

START_TEST(what_was_told_before_the_session_or_without_one_is_nothing)
{
    put_entry(CENSUS_PRESENT, START_NS - 1, 0);
    census_read(&census);
    ck_assert_uint_eq(table.count, 0);
    session.state = SESSION_IDLE;
    put_entry(CENSUS_PRESENT, START_NS + 1, 0);
    census_read(&census);
    ck_assert_uint_eq(table.count, 0);
    ck_assert_uint_eq(atomic_load(&ledger.ring->taken), 2);
}
END_TEST

static void put_present_shell(uint64_t time_ns)
{
    struct census_entry entry = { .kind = CENSUS_PRESENT,
                                  .pid = process,
                                  .parent_pid = getpid(),
                                  .time_ns = time_ns,
                                  .generation = session.generation };

    census_ring_set_path(&entry, "/bin/sh");
    census_ring_put(ledger.ring, &entry);
}

/* It took up the session between the two. */
START_TEST(who_told_before_the_session_what_it_becomes_is_found_as_that)
{
    session.state = SESSION_IDLE;
    put_entry(CENSUS_EXEC, START_NS - 1, 0);
    census_read(&census);
    session.state = SESSION_ACTIVE;
    put_present_shell(START_NS - 2);
    census_take(&census);
    ck_assert_uint_eq(table.count, 2);
    ck_assert_int_eq(table.first->verdict, VERDICT_EXECED);
    ck_assert_uint_eq(table.first->end_ns, START_NS - 1);
    ck_assert_uint_eq(table.first->cpu.at_exec_ns, 5);
    ck_assert(latest_child()->agent == CHILD_IS_SILENT);
    ck_assert_uint_eq(latest_child()->start_ns, START_NS - 1);
    ck_assert_ptr_nonnull(strstr(latest_child()->executable, "sleep"));
}
END_TEST

/* As a program that runs inside of valgrind. */
START_TEST(who_never_was_what_proc_shows_has_not_become_that)
{
    put_present_shell(START_NS - 2);
    census_take(&census);
    ck_assert_uint_eq(table.count, 1);
    ck_assert_str_eq(latest_child()->executable, "/bin/sh");
}
END_TEST

START_TEST(who_began_just_before_its_session_is_in_it)
{
    struct census_entry entry = { .kind = CENSUS_PRESENT,
                                  .pid = process,
                                  .parent_pid = getpid(),
                                  .time_ns = START_NS - 1,
                                  .generation = session.generation };

    census_ring_set_path(&entry, "/bin/sleep");
    census_ring_put(ledger.ring, &entry);
    put_entry(CENSUS_ENDED, START_NS + 2, SIGKILL);
    census_read(&census);
    ck_assert_ptr_nonnull(latest_child());
    ck_assert(latest_child()->agent != CHILD_IS_SILENT);
    ck_assert_int_eq(latest_child()->verdict, VERDICT_KILLED);
    ck_assert_uint_eq(table.count, 1);
}
END_TEST

START_TEST(who_ended_unheard_is_a_name)
{
    put_entry(CENSUS_EXEC, START_NS + 1, 0); /* by whom profd will hear of, as it seems */
    put_entry(CENSUS_ENDED, START_NS + 2, 7 << 8);
    census_read(&census);
    ck_assert(child_is_only_name(latest_child()));
    ck_assert_str_eq(latest_child()->executable, "/bin/sleep");
    ck_assert_int_eq(latest_child()->verdict, VERDICT_EXITED);
    ck_assert_int_eq(latest_child()->code, 7);
    ck_assert_uint_eq(latest_child()->process_start_ns, START_NS + 1);
    ck_assert(latest_child()->lacks_start); /* of its agent */
}
END_TEST

START_TEST(an_end_that_was_forgotten_already_is_passed_on)
{
    recent_ends_put(&census.ends, process, START_NS + 1);
    put_entry(CENSUS_ENDED, START_NS + 2, SIGKILL);
    census_read(&census);
    ck_assert_uint_eq(told_ends, 1);
    ck_assert_uint_eq(table.count, 0);
}
END_TEST

START_TEST(losses_are_counted)
{
    for (unsigned i = 0; i < CENSUS_RING_ENTRIES + 3; i++)
        put_entry(CENSUS_WISH, START_NS + 1, 0);
    census_read(&census);
    ck_assert_uint_eq(census.lost, 3);
    census_begin_session(&census);
    ck_assert_uint_eq(census.lost, 0);
}
END_TEST

static void read_all(void)
{
    while (atomic_load(&ledger.ring->taken) != atomic_load(&ledger.ring->put))
        uv_run(&loop, UV_RUN_ONCE);
}

START_TEST(the_reader_comes_back_soon_while_much_is_told)
{
    session.start_ns = uv_hrtime();
    census_begin_session(&census);
    for (unsigned i = 0; i <= CENSUS_MUCH_NEWS; i++)
        put_entry(CENSUS_WISH, session.start_ns + 1, 0);
    read_all();
    ck_assert_uint_le(uv_timer_get_due_in(&census.reader), CENSUS_NEXT_READ_MS);
    while (uv_timer_get_due_in(&census.reader) <= CENSUS_NEXT_READ_MS)
        uv_run(&loop, UV_RUN_ONCE);
    session.state = SESSION_IDLE;
    while (uv_is_active((uv_handle_t *)&census.reader))
        uv_run(&loop, UV_RUN_ONCE);
}
END_TEST

START_TEST(a_process_without_an_agent_is_found)
{
    session.start_ns = uv_hrtime();
    worker = process;
    census_take(&census);
    ck_assert_ptr_null(latest_child()); /* it would be ours */
    worker = -1;
    census_take(&census);
    ck_assert_ptr_nonnull(latest_child());
    ck_assert(latest_child()->agent == CHILD_IS_SILENT);
    ck_assert_int_ne(latest_child()->obstacle, OBSTACLE_NONE);
    census_take(&census);
    ck_assert_uint_eq(table.count, 1); /* and once */
}
END_TEST

START_TEST(looks_are_taken_while_a_session_is_on)
{
    session.start_ns = uv_hrtime();
    census_begin_session(&census);
    while (latest_child() == NULL)
        uv_run(&loop, UV_RUN_ONCE);
    session.state = SESSION_IDLE;
    while (census.scan_ms != 0)
        uv_run(&loop, UV_RUN_ONCE);
}
END_TEST

START_TEST(a_program_that_profd_starts_and_cannot_record_is_known_at_once)
{
    const struct census_start start = { process, uv_hrtime(), "/bin/sleep", OBSTACLE_STATIC };

    census_note_started(&census, &start);
    ck_assert_ptr_nonnull(latest_child());
    ck_assert_int_eq(latest_child()->obstacle, OBSTACLE_STATIC);
    ck_assert_str_eq(latest_child()->executable, "/bin/sleep");
    ck_assert_uint_eq(latest_child()->start_ns, start.start_ns);
}
END_TEST

START_TEST(one_that_may_record_is_waited_for)
{
    const struct census_start start = { process, uv_hrtime(), "/bin/sleep", OBSTACLE_NONE };

    census_note_started(&census, &start);
    ck_assert_ptr_null(latest_child());
}
END_TEST

START_TEST(who_is_reaped_unheard_is_a_name)
{
    uint64_t start_ns = uv_hrtime() - 1000;
    const struct process_remains remains = { 9, start_ns, "sleep" };

    census_note_reaped(&census, process, 1 << 8, &remains);
    ck_assert_uint_eq(latest_child()->start_ns, start_ns);
    ck_assert(!latest_child()->lacks_start);
    ck_assert(child_is_only_name(latest_child()));
    ck_assert_str_eq(latest_child()->executable, "sleep");
    ck_assert_uint_eq(latest_child()->cpu.used_ns, 9);
}
END_TEST

/* As after a restart: what was read is known to nobody. */
static void read_without_a_session(void)
{
    session.state = SESSION_IDLE;
    census_read(&census);
    session.state = SESSION_ACTIVE;
    ck_assert_uint_eq(table.count, 0);
}

START_TEST(a_process_that_sleeps_is_recalled_after_a_restart)
{
    uint64_t now_ns = uv_hrtime();

    put_entry(CENSUS_PRESENT, now_ns, 0);
    read_without_a_session();
    census_recall(&census);
    ck_assert_ptr_nonnull(latest_child());
    ck_assert_int_eq(latest_child()->dormancy, CHILD_DORMANT);
    ck_assert_uint_eq(latest_child()->start_ns, now_ns);
    ck_assert_ptr_nonnull(latest_child()->watch);
    census_recall(&census);
    ck_assert_uint_eq(table.count, 1);
}
END_TEST

START_TEST(a_pid_that_is_of_another_process_now_is_not_recalled)
{
    session.start_ns = 1;
    put_entry(CENSUS_PRESENT, 2, 0); /* long before the process began */
    read_without_a_session();
    census_recall(&census);
    ck_assert_uint_eq(table.count, 0);
}
END_TEST

/* Whether the first of two entries of one process is its last word. */
static bool is_last_word_before(enum census_kind kind)
{
    const struct census_entry entries[] = { { .kind = CENSUS_PRESENT, .pid = 7 },
                                            { .kind = kind, .pid = 7 } };
    return census_recall_is_last_word(entries, 2, 0);
}

START_TEST(the_last_word_of_a_process_counts)
{
    const struct census_entry failed_exec[] = { { .kind = CENSUS_PRESENT, .pid = 7 },
                                                { .kind = CENSUS_EXEC, .pid = 7 },
                                                { .kind = CENSUS_ENDED, .pid = 8 },
                                                { .kind = CENSUS_FAILED, .pid = 7 } };

    ck_assert(census_recall_is_last_word(failed_exec, 1, 0));
    ck_assert(!census_recall_is_last_word(failed_exec, 2, 0));
    ck_assert(!census_recall_is_last_word(failed_exec, 2, 1));
    ck_assert(census_recall_is_last_word(failed_exec, 4, 0));
    ck_assert(!is_last_word_before(CENSUS_PRESENT));
    ck_assert(!is_last_word_before(CENSUS_WOKEN));
    ck_assert(!is_last_word_before(CENSUS_ENDED));
    ck_assert(is_last_word_before(CENSUS_WISH));
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("daemon.census");
    TCase *all = tcase_create("census");

    tcase_set_timeout(all, 60);
    tcase_add_checked_fixture(all, set_up, tear_down);
    tcase_add_test(all, who_is_present_is_a_dormant_child);
    tcase_add_test(all, what_was_told_before_the_session_or_without_one_is_nothing);
    tcase_add_test(all, who_told_before_the_session_what_it_becomes_is_found_as_that);
    tcase_add_test(all, who_never_was_what_proc_shows_has_not_become_that);
    tcase_add_test(all, who_began_just_before_its_session_is_in_it);
    tcase_add_test(all, who_ended_unheard_is_a_name);
    tcase_add_test(all, an_end_that_was_forgotten_already_is_passed_on);
    tcase_add_test(all, losses_are_counted);
    tcase_add_test(all, the_reader_comes_back_soon_while_much_is_told);
    tcase_add_test(all, a_process_without_an_agent_is_found);
    tcase_add_test(all, looks_are_taken_while_a_session_is_on);
    tcase_add_test(all, a_program_that_profd_starts_and_cannot_record_is_known_at_once);
    tcase_add_test(all, one_that_may_record_is_waited_for);
    tcase_add_test(all, who_is_reaped_unheard_is_a_name);
    tcase_add_test(all, a_process_that_sleeps_is_recalled_after_a_restart);
    tcase_add_test(all, a_pid_that_is_of_another_process_now_is_not_recalled);
    tcase_add_test(all, the_last_word_of_a_process_counts);
    suite_add_tcase(suite, all);

    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_NORMAL);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
