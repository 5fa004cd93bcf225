/* daemon.process_title: what a process calls itself, in the arguments of a real one and in an
 * arena. */
#include <check.h>
#include <fcntl.h>
#include <signal.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "buffer/arena.h"
#include "daemon/children/child_table.h"
#include "daemon/children/process_title.h"
#include "tests/unit/run_suite.h"

static struct child child;

/* A process that was started as ARGUMENTS, and sleeps. */
static void start_process(char *const *arguments)
{
    int ends[2];
    char byte;

    ck_assert_int_eq(pipe2(ends, O_CLOEXEC), 0);
    child.pid = fork();
    if (child.pid == 0) {
        execv("/bin/sleep", arguments);
        _exit(1);
    }
    close(ends[1]);
    ck_assert_int_eq(read(ends[0], &byte, 1), 0); /* it runs */
    close(ends[0]);
}

static void set_up(void)
{
    child = (struct child){ .arena_fd = -1, .executable = "/bin/sleep" };
}

static void tear_down(void)
{
    if (child.pid > 0) {
        kill(child.pid, SIGKILL);
        ck_assert_int_eq(waitpid(child.pid, NULL, 0), child.pid);
    }
    if (child.arena_fd >= 0)
        close(child.arena_fd);
    free(child.arguments);
    process_title_free(&child.title);
}

static void make_arena(const char *title)
{
    child.arena_fd = memfd_create("arena", MFD_CLOEXEC);
    ck_assert_int_eq(ftruncate(child.arena_fd, sizeof(struct arena_header)), 0);
    ck_assert_int_eq(
        pwrite(child.arena_fd, title, strlen(title), (off_t)offsetof(struct arena_header, title)),
        strlen(title));
}

START_TEST(the_first_argument_is_learnt_from_a_process_that_told_none)
{
    start_process((char *[]){ "sleep", "60", NULL });
    process_title_learn_first_argument(&child);
    ck_assert_str_eq(child.arguments, "sleep");
}
END_TEST

START_TEST(arguments_that_were_told_stay)
{
    start_process((char *[]){ "sleep", "60", NULL });
    child_set_arguments(&child, "other", 6);
    process_title_learn_first_argument(&child);
    ck_assert_str_eq(child.arguments, "other");
}
END_TEST

START_TEST(arguments_that_are_a_title_already_are_not_what_it_was_started_with)
{
    start_process((char *[]){ "sleep: being idle", "60", NULL });
    process_title_learn_first_argument(&child);
    ck_assert_str_eq(child.arguments, "/bin/sleep");
    process_title_look(&child);
    ck_assert_str_eq(child.title.text, "sleep: being idle");
}
END_TEST

START_TEST(one_that_is_called_as_it_was_started_has_no_title)
{
    start_process((char *[]){ "sleep", "60", NULL });
    child_set_arguments(&child, "sleep", 6);
    process_title_look(&child);
    ck_assert_ptr_null(child.title.text);
    ck_assert(child.title.was_looked);
}
END_TEST

START_TEST(a_program_that_is_run_inside_of_another_has_no_title_by_that)
{
    start_process((char *[]){ "ld.so", "60", "61", NULL });
    child_set_arguments(&child, "61", 3);
    process_title_look(&child);
    ck_assert_ptr_null(child.title.text);
}
END_TEST

START_TEST(arguments_of_the_next_program_are_no_title)
{
    start_process((char *[]){ "next: busy", "60", NULL });
    child_set_arguments(&child, "sleep", 6);
    child.exec.start_ns = 1;
    process_title_look(&child);
    ck_assert_ptr_null(child.title.text);
}
END_TEST

/* profd may look before it hears of the exec. */
START_TEST(nor_are_those_of_one_that_nobody_has_told_of)
{
    start_process((char *[]){ "next: busy", "60", NULL });
    child.executable = "/bin/sh";
    child_set_arguments(&child, "sh", 3);
    process_title_look(&child);
    ck_assert_ptr_null(child.title.text);
}
END_TEST

START_TEST(what_its_arguments_do_not_say_its_arena_may)
{
    make_arena("worker 3");
    start_process((char *[]){ "sleep", "60", NULL });
    child_set_arguments(&child, "sleep", 6);
    process_title_look(&child);
    ck_assert_str_eq(child.title.text, "worker 3");
}
END_TEST

START_TEST(the_arena_of_one_that_ended_is_recalled)
{
    make_arena("worker 4");
    process_title_recall(&child);
    ck_assert_str_eq(child.title.text, "worker 4");
}
END_TEST

START_TEST(an_arena_that_never_ends_its_title_is_cut)
{
    char title[ARENA_TITLE_BYTES + 1];

    memset(title, 'x', ARENA_TITLE_BYTES);
    title[ARENA_TITLE_BYTES] = '\0';
    make_arena(title);
    process_title_recall(&child);
    ck_assert_uint_eq(strlen(child.title.text), ARENA_TITLE_BYTES - 1);
}
END_TEST

START_TEST(without_an_arena_a_title_that_is_known_stays)
{
    process_title_set(&child.title, "known");
    process_title_recall(&child);
    ck_assert_str_eq(child.title.text, "known");
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("process_title");
    TCase *all = tcase_create("all");
    tcase_add_checked_fixture(all, set_up, tear_down);
    tcase_add_test(all, the_first_argument_is_learnt_from_a_process_that_told_none);
    tcase_add_test(all, arguments_that_were_told_stay);
    tcase_add_test(all, arguments_that_are_a_title_already_are_not_what_it_was_started_with);
    tcase_add_test(all, one_that_is_called_as_it_was_started_has_no_title);
    tcase_add_test(all, a_program_that_is_run_inside_of_another_has_no_title_by_that);
    tcase_add_test(all, arguments_of_the_next_program_are_no_title);
    tcase_add_test(all, nor_are_those_of_one_that_nobody_has_told_of);
    tcase_add_test(all, what_its_arguments_do_not_say_its_arena_may);
    tcase_add_test(all, the_arena_of_one_that_ended_is_recalled);
    tcase_add_test(all, an_arena_that_never_ends_its_title_is_cut);
    tcase_add_test(all, without_an_arena_a_title_that_is_known_stays);
    suite_add_tcase(suite, all);
    return run_suite(suite);
}
