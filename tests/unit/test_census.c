/* daemon.census: what processes tell of themselves through the census. */

#include "daemon/census/census.h"
#include "daemon/census/census_program.h"
#include "daemon/census/census_told.h"
#include "daemon/children/pidfd.h"
#include "ipc/messages.h"
#include "tests/unit/census_scene.h"
#include "tests/unit/run_suite.h"

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

/* Once: on a slow machine UV_RUN_ONCE may come by a second time. */
static void read_all(void)
{
    while (atomic_load(&ledger.ring->taken) != atomic_load(&ledger.ring->put))
        uv_run(&loop, UV_RUN_NOWAIT);
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

/* What a process in another pid namespace tells of what it becomes. */
static bool tell_program_there(const struct census_sender *sender, bool has_failed)
{
    static const char path[] = "/bin/still";
    const struct message_program message = { .time_ns = START_NS + 1,
                                             .cpu_ns = 3,
                                             .obstacle = OBSTACLE_STATIC,
                                             .has_failed = has_failed,
                                             .path = { path, sizeof(path) - 1 } };
    return census_note_program(&census, &message, sender);
}

static void put_end_there(int process_fd)
{
    struct census_entry end = { .kind = CENSUS_FOREIGN_ENDED,
                                .identity = pidfd_identity(process_fd),
                                .time_ns = START_NS + 2,
                                .cpu_ns = 5,
                                .wait_status = SIGKILL };
    census_ring_put(ledger.ring, &end);
    census_read(&census);
}

static void check_ended_there(pid_t pid)
{
    const struct child *child = child_table_find_latest(&table, pid);
    ck_assert_ptr_nonnull(child);
    ck_assert_int_eq(child->agent, CHILD_IS_SILENT);
    ck_assert_int_eq(child->obstacle, OBSTACLE_STATIC);
    ck_assert_str_eq(child->executable, "/bin/still");
    ck_assert_int_eq(child->parent_pid, getpid());
    ck_assert_int_eq(child->wait.status, SIGKILL);
    ck_assert_uint_eq(child->cpu.used_ns, 5);
    ck_assert_uint_eq(ends, 1);
}

/* How it is told of: by itself, or by its parent; and whether its end is read before that. */
static const struct {
    bool is_about_child, has_ended;
} tellings[] = { { false, false }, { false, true }, { true, false }, { true, true } };

START_TEST(a_program_in_another_pid_namespace_is_listed_with_its_end)
{
    const bool is_about_child = tellings[_i].is_about_child;
    const int process_fd = pidfd_of_process(process);
    const struct census_sender sender = { is_about_child ? getpid() : process, process_fd,
                                          is_about_child };
    if (pidfd_identity(process_fd) == 0)
        return; /* a kernel that tells none */
    if (tellings[_i].has_ended)
        put_end_there(process_fd);
    ck_assert_ptr_null(latest_child());
    ck_assert(tell_program_there(&sender, false));
    if (!tellings[_i].has_ended)
        put_end_there(process_fd);
    check_ended_there(process);
    close(process_fd);
}
END_TEST

START_TEST(one_that_was_reaped_before_profd_asked_for_its_pid_is_listed_all_the_same)
{
    const int process_fd = pidfd_of_process(process);
    const struct census_sender sender = { getpid(), process_fd, true };
    kill(process, SIGKILL);
    ck_assert_int_eq(waitpid(process, NULL, 0), process);
    ck_assert(tell_program_there(&sender, false));
    ck_assert(tell_program_there(&sender, false));
    ck_assert_ptr_nonnull(child_table_find_latest(&table, CENSUS_LAST_PID + 1));
    if (pidfd_identity(process_fd) != 0) /* else each message may be about another one */
        ck_assert_uint_eq(table.count, 1);
    close(process_fd);
}
END_TEST

START_TEST(one_that_was_seen_before_it_was_told_of_is_listed_once)
{
    const int process_fd = pidfd_of_process(process);
    const struct census_sender sender = { getpid(), process_fd, true };
    const struct process_sighting sighting = { .pid = process,
                                               .parent_pid = getpid(),
                                               .start_ns = START_NS + 1 };
    if (pidfd_identity(process_fd) == 0)
        return; /* a kernel that tells none */
    ck_assert_ptr_nonnull(census_add(&census, &sighting, "/bin/still", OBSTACLE_STATIC));
    kill(process, SIGKILL);
    ck_assert_int_eq(waitpid(process, NULL, 0), process);
    ck_assert(tell_program_there(&sender, false));
    ck_assert_uint_eq(table.count, 1);
    put_end_there(process_fd);
    check_ended_there(process);
    close(process_fd);
}
END_TEST

START_TEST(one_whose_descriptor_has_not_arrived_is_missed)
{
    const struct census_sender sender = { process, -1, true };
    ck_assert(tell_program_there(&sender, false));
    ck_assert_uint_eq(table.count, 0);
    ck_assert_uint_eq(census.lost, 1);
}
END_TEST

START_TEST(nobody_tells_of_another_process_than_his_child)
{
    const pid_t others[] = { process,
                             1 }; /* the latter has no parent, as if it were being reaped */
    for (size_t i = 0; i < sizeof(others) / sizeof(others[0]); i++) {
        const int process_fd = pidfd_of_process(others[i]);
        const struct census_sender stranger = { process, process_fd, true };
        ck_assert(!tell_program_there(&stranger, false));
        ck_assert_uint_eq(table.count, 0);
        close(process_fd);
    }
}
END_TEST

START_TEST(a_program_there_that_could_not_be_run_was_a_mistake)
{
    const int process_fd = pidfd_of_process(process);
    const struct census_sender sender = { process, process_fd, false };
    ck_assert(tell_program_there(&sender, false));
    ck_assert_uint_eq(table.count, 1);
    put_end_there(process_fd); /* read before the failure arrived */
    ck_assert(tell_program_there(&sender, true));
    ck_assert_uint_eq(table.count, 0);
    close(process_fd);
}
END_TEST

/* The same of one that has an agent, and is seen to have ended before it has told. */
START_TEST(an_exec_there_that_failed_did_not_happen)
{
    const int process_fd = pidfd_of_process(process);
    const struct census_sender sender = { process, process_fd, false };
    if (pidfd_identity(process_fd) == 0)
        return; /* a kernel that tells none */
    put_entry(CENSUS_PRESENT, START_NS, 0);
    census_read(&census);
    ck_assert(tell_program_there(&sender, false));
    kill(process, SIGKILL);
    ck_assert_int_eq(waitpid(process, NULL, 0), process);
    put_end_there(process_fd);
    ck_assert_uint_eq(table.count, 2);
    ck_assert(tell_program_there(&sender, true));
    census_take(&census);
    ck_assert_uint_eq(table.count, 1);
    ck_assert_int_eq(latest_child()->verdict, VERDICT_KILLED);
    close(process_fd);
}
END_TEST

/* The same, if its end is still to be told when profd hears of the exec. */
START_TEST(an_exec_of_one_that_is_gone_did_not_happen_if_it_failed)
{
    const int process_fd = pidfd_of_process(process);
    const struct census_sender sender = { process, process_fd, false };
    if (pidfd_identity(process_fd) == 0)
        return; /* a kernel that tells none */
    put_entry(CENSUS_PRESENT, START_NS, 0);
    census_read(&census);
    ck_assert_ptr_nonnull(latest_child()->watch);
    kill(process, SIGKILL);
    ck_assert_int_eq(waitpid(process, NULL, 0), process);
    ck_assert(tell_program_there(&sender, false));
    ck_assert(tell_program_there(&sender, true));
    put_end_there(process_fd);
    ck_assert_uint_eq(table.count, 1);
    ck_assert_int_eq(latest_child()->verdict, VERDICT_KILLED);
    ck_assert_uint_eq(latest_child()->end_ns, START_NS + 2);
    close(process_fd);
}
END_TEST

/* The same, if its end is seen before profd hears of the exec. */
START_TEST(an_exec_that_is_told_after_an_end_did_not_happen_if_it_failed)
{
    const int process_fd = pidfd_of_process(process);
    const struct census_sender sender = { process, process_fd, false };
    siginfo_t end;
    if (pidfd_identity(process_fd) == 0)
        return; /* a kernel that tells none */
    put_entry(CENSUS_PRESENT, START_NS, 0);
    census_read(&census);
    const struct child_watch *watch = latest_child()->watch;
    kill(process, SIGKILL);
    ck_assert_int_eq(waitid(P_PID, (id_t)process, &end, WEXITED | WNOWAIT), 0);
    while (latest_child()->state != CHILD_ENDED)
        uv_run(&loop, UV_RUN_ONCE);
    ck_assert(tell_program_there(&sender, false));
    ck_assert(tell_program_there(&sender, true));
    ck_assert_uint_eq(table.count, 1);
    ck_assert_ptr_eq(latest_child()->watch, watch);
    put_end_there(process_fd);
    ck_assert_int_eq(latest_child()->verdict, VERDICT_KILLED);
    ck_assert_int_eq(waitpid(process, NULL, 0), process);
    close(process_fd);
}
END_TEST

static void put_exec_of_static(enum census_kind kind, const char *path)
{
    struct census_entry entry = { .kind = kind,
                                  .pid = process,
                                  .parent_pid = getpid(),
                                  .time_ns = START_NS + 2,
                                  .cpu_ns = 5,
                                  .obstacle = OBSTACLE_STATIC };
    census_ring_set_path(&entry, path);
    census_ring_put(ledger.ring, &entry);
}

static void lose_connection(void)
{
    struct child *child = child_table_find_latest(&table, process);
    child->agent = CHILD_LISTENS;
    child->state = CHILD_CONNECTED;
    agents_note_disconnected(child);
}

/* It has closed what it had open before, as programs do. */
START_TEST(an_exec_that_failed_after_the_connection_was_lost_did_not_happen)
{
    put_entry(CENSUS_PRESENT, START_NS, 0);
    census_read(&census);
    put_exec_of_static(CENSUS_EXEC, "/bin/static-one");
    lose_connection();
    ck_assert_int_ne(latest_child()->state, CHILD_ENDED);
    put_exec_of_static(CENSUS_FAILED, "/bin/static-one");
    census_read(&census);
    ck_assert_uint_eq(table.count, 1);
    ck_assert_int_ne(latest_child()->state, CHILD_ENDED);
    kill(process, SIGKILL);
    put_entry(CENSUS_ENDED, START_NS + 3, SIGKILL);
    census_read(&census);
    ck_assert_uint_eq(table.count, 1);
    ck_assert_int_eq(latest_child()->verdict, VERDICT_KILLED);
}
END_TEST

START_TEST(an_exec_of_the_same_file_is_settled_when_the_connection_ends)
{
    put_entry(CENSUS_PRESENT, START_NS, 0);
    census_read(&census);
    put_exec_of_static(CENSUS_EXEC, "/usr/bin/sleep");
    lose_connection();
    ck_assert_uint_eq(table.count, 2);
    ck_assert_int_eq(table.first->verdict, VERDICT_EXECED);
    ck_assert(latest_child()->agent == CHILD_IS_SILENT);
}
END_TEST

/* The same, if that it was there is in the ring when its message comes. */
START_TEST(what_was_told_before_a_message_is_read_before_it)
{
    const int process_fd = pidfd_of_process(process);
    const struct census_sender sender = { process, process_fd, false };
    if (pidfd_identity(process_fd) == 0)
        return; /* a kernel that tells none */
    put_entry(CENSUS_PRESENT, START_NS, 0);
    ck_assert(tell_program_there(&sender, false));
    ck_assert_int_eq(latest_child()->dormancy, CHILD_DORMANT);
    ck_assert(tell_program_there(&sender, true));
    put_end_there(process_fd);
    ck_assert_uint_eq(table.count, 1);
    ck_assert_int_eq(latest_child()->verdict, VERDICT_KILLED);
    close(process_fd);
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
    tcase_add_loop_test(all, a_program_in_another_pid_namespace_is_listed_with_its_end, 0,
                        sizeof(tellings) / sizeof(tellings[0]));
    tcase_add_test(all, one_that_was_reaped_before_profd_asked_for_its_pid_is_listed_all_the_same);
    tcase_add_test(all, one_that_was_seen_before_it_was_told_of_is_listed_once);
    tcase_add_test(all, one_whose_descriptor_has_not_arrived_is_missed);
    tcase_add_test(all, nobody_tells_of_another_process_than_his_child);
    tcase_add_test(all, a_program_there_that_could_not_be_run_was_a_mistake);
    tcase_add_test(all, an_exec_there_that_failed_did_not_happen);
    tcase_add_test(all, an_exec_of_one_that_is_gone_did_not_happen_if_it_failed);
    tcase_add_test(all, an_exec_that_is_told_after_an_end_did_not_happen_if_it_failed);
    tcase_add_test(all, an_exec_that_failed_after_the_connection_was_lost_did_not_happen);
    tcase_add_test(all, an_exec_of_the_same_file_is_settled_when_the_connection_ends);
    tcase_add_test(all, what_was_told_before_a_message_is_read_before_it);
    suite_add_tcase(suite, all);
    return run_suite(suite);
}
