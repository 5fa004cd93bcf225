/* daemon.log */
#include <check.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "daemon/log.h"
#include "tests/unit/run_suite.h"

static int reading_end;

/* Standard error becomes a pipe that nobody reads but the test. */
static void set_up(void)
{
    int ends[2];

    ck_assert_int_eq(pipe2(ends, O_CLOEXEC), 0);
    ck_assert_int_eq(dup2(ends[1], STDERR_FILENO), STDERR_FILENO);
    close(ends[1]);
    reading_end = ends[0];
    ck_assert_int_eq(fcntl(reading_end, F_SETFL, O_NONBLOCK), 0);
}

/* All that the pipe holds; returns the last of it, terminated. */
static const char *drain_pipe(void)
{
    static char text[8192];
    ssize_t got, last = 0;

    while ((got = read(reading_end, text, sizeof(text) - 1)) > 0)
        last = got;
    text[last] = '\0';
    return text;
}

START_TEST(a_line_has_no_control_characters)
{
    log_error("%s", "one\ntwo\033[0m");
    ck_assert_str_eq(drain_pipe(), "profd: one?two?[0m\n");
}
END_TEST

/* Blocked for ever, the test would be ended by its time limit. */
START_TEST(a_reader_that_stopped_stops_nobody)
{
    for (int i = 0; i < 100000; i++)
        log_error("line %d", i);
    ck_assert_ptr_nonnull(strstr(drain_pipe(), "profd: line "));

    log_error("after");
    const char *text = drain_pipe();
    ck_assert_ptr_nonnull(strstr(text, " lines of this log, which was not read\n"));
    ck_assert_ptr_nonnull(strstr(text, "profd: after\n"));
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("daemon.log");
    TCase *lines = tcase_create("lines");
    tcase_add_checked_fixture(lines, set_up, NULL);
    tcase_add_test(lines, a_line_has_no_control_characters);
    tcase_add_test(lines, a_reader_that_stopped_stops_nobody);
    suite_add_tcase(suite, lines);
    return run_suite(suite);
}
