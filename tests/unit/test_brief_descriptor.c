#include <check.h>
#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <stdbool.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "child-agent/guest/brief_descriptor.h"
#include "tests/unit/run_suite.h"

static bool is_open(int fd)
{
    return fcntl(fd, F_GETFD) >= 0;
}

/* Whether FD is open in a forked child that has closed those of other threads. */
static bool is_open_in_child(int fd)
{
    int status;
    pid_t child = fork();
    if (child == 0) {
        brief_descriptor_after_fork_child();
        _exit(is_open(fd));
    }
    ck_assert_int_eq(waitpid(child, &status, 0), child);
    ck_assert(WIFEXITED(status));
    return WEXITSTATUS(status) != 0;
}

static int open_any(void)
{
    int fd = open("/dev/null", O_RDONLY | O_CLOEXEC);
    ck_assert_int_ge(fd, 0);
    return fd;
}

START_TEST(a_forked_child_closes_what_was_noted)
{
    int noted = open_any(), other = open_any();
    struct brief_descriptor note = brief_descriptor_note(noted);
    ck_assert(!is_open_in_child(noted));
    ck_assert(is_open_in_child(other));
    ck_assert(is_open(noted));
    brief_descriptor_close(&note);
    ck_assert(!is_open(noted));
    close(other);
}
END_TEST

START_TEST(the_number_is_the_programs_again_afterwards)
{
    int fd = open_any();
    struct brief_descriptor note = brief_descriptor_note(fd);
    brief_descriptor_close(&note);
    ck_assert_int_eq(open_any(), fd);
    ck_assert(is_open_in_child(fd));
    close(fd);
}
END_TEST

/* A program that closes what it does not know gets the number for a file of its own. */
START_TEST(another_file_of_that_number_is_left_open)
{
    int fd = open_any(), ends[2];
    struct brief_descriptor note = brief_descriptor_note(fd);
    ck_assert_int_eq(pipe(ends), 0);
    ck_assert_int_eq(dup2(ends[0], fd), fd);
    ck_assert(is_open_in_child(fd));
    brief_descriptor_close(&note);
    close(ends[0]);
    close(ends[1]);
}
END_TEST

START_TEST(places_are_used_again)
{
    enum { MORE_THAN_PLACES = 100 };
    int fd = open_any();
    struct brief_descriptor note;
    for (int i = 0; i < MORE_THAN_PLACES; i++) {
        note = brief_descriptor_note(fd);
        brief_descriptor_close(&note);
        ck_assert_int_eq(open_any(), fd);
    }
    note = brief_descriptor_note(fd);
    ck_assert(!is_open_in_child(fd));
    brief_descriptor_close(&note);
}
END_TEST

START_TEST(what_stays_open_stays_so_in_a_child)
{
    int fd = open_any();
    struct brief_descriptor note = brief_descriptor_note(fd);
    brief_descriptor_forget(&note);
    ck_assert(is_open_in_child(fd));
    close(fd);
}
END_TEST

/* The kernel copies descriptors before memory: a child may have one that was closed meanwhile. */
START_TEST(a_child_closes_a_socket_that_was_closed_while_it_was_copied)
{
    int ends[2];
    ck_assert_int_eq(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends), 0);
    int copy = dup(ends[0]);
    struct brief_descriptor note = brief_descriptor_note(ends[0]);
    brief_descriptor_close(&note);
    ck_assert_int_eq(dup2(copy, ends[0]), ends[0]);
    ck_assert(!is_open_in_child(ends[0]));
    ck_assert_int_eq(dup2(ends[1], ends[0]), ends[0]); /* another socket */
    ck_assert(is_open_in_child(ends[0]));
    close(copy);
    close(ends[0]);
    close(ends[1]);
}
END_TEST

/* As a child of vfork has, which shares its parent's memory. */
static void *note_and_close_elsewhere(void *context)
{
    int fd = *(int *)context;
    if (unshare(CLONE_FILES) < 0)
        return context;
    struct brief_descriptor note = brief_descriptor_note(fd);
    brief_descriptor_close(&note);
    return NULL;
}

START_TEST(a_note_of_another_table_of_descriptors_is_another)
{
    pthread_t thread;
    void *failed;
    int fd = open_any();
    struct brief_descriptor note = brief_descriptor_note(fd);
    ck_assert_int_eq(pthread_create(&thread, NULL, note_and_close_elsewhere, &fd), 0);
    ck_assert_int_eq(pthread_join(thread, &failed), 0);
    ck_assert_ptr_null(failed);
    ck_assert(!is_open_in_child(fd));
    brief_descriptor_forget(&note);
    ck_assert(is_open_in_child(fd));
    close(fd);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("brief_descriptor");
    TCase *all = tcase_create("all");

    tcase_add_test(all, a_forked_child_closes_what_was_noted);
    tcase_add_test(all, the_number_is_the_programs_again_afterwards);
    tcase_add_test(all, another_file_of_that_number_is_left_open);
    tcase_add_test(all, places_are_used_again);
    tcase_add_test(all, what_stays_open_stays_so_in_a_child);
    tcase_add_test(all, a_child_closes_a_socket_that_was_closed_while_it_was_copied);
    tcase_add_test(all, a_note_of_another_table_of_descriptors_is_another);
    suite_add_tcase(suite, all);
    return run_suite(suite);
}
