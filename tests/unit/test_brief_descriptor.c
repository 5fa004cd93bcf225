#include <check.h>
#include <fcntl.h>
#include <stdbool.h>
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
    brief_descriptor_note(noted);
    ck_assert(!is_open_in_child(noted));
    ck_assert(is_open_in_child(other));
    ck_assert(is_open(noted));
    brief_descriptor_close(noted);
    ck_assert(!is_open(noted));
    close(other);
}
END_TEST

START_TEST(the_number_is_the_programs_again_afterwards)
{
    int fd = open_any();
    brief_descriptor_note(fd);
    brief_descriptor_close(fd);
    ck_assert_int_eq(open_any(), fd);
    ck_assert(is_open_in_child(fd));
    close(fd);
}
END_TEST

/* A program that closes what it does not know gets the number for a file of its own. */
START_TEST(another_file_of_that_number_is_left_open)
{
    int fd = open_any(), ends[2];
    brief_descriptor_note(fd);
    ck_assert_int_eq(pipe(ends), 0);
    ck_assert_int_eq(dup2(ends[0], fd), fd);
    ck_assert(is_open_in_child(fd));
    brief_descriptor_close(fd);
    close(ends[0]);
    close(ends[1]);
}
END_TEST

START_TEST(places_are_used_again)
{
    enum { MORE_THAN_PLACES = 100 };
    int fd = open_any();
    for (int i = 0; i < MORE_THAN_PLACES; i++) {
        brief_descriptor_note(fd);
        brief_descriptor_close(fd);
        ck_assert_int_eq(open_any(), fd);
    }
    brief_descriptor_note(fd);
    ck_assert(!is_open_in_child(fd));
    brief_descriptor_close(fd);
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
    suite_add_tcase(suite, all);
    return run_suite(suite);
}
