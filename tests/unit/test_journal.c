/* Lines for the journal, at a socket that stands for it. */
#include <check.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "daemon/journal.h"
#include "tests/unit/run_suite.h"

static char folder[64], path[96];
static int journal, sender;

static void listen_as_journal(void)
{
    struct sockaddr_un address = { .sun_family = AF_UNIX };

    strcpy(folder, "/tmp/profd-test-XXXXXX");
    ck_assert_ptr_nonnull(mkdtemp(folder));
    snprintf(path, sizeof(path), "%s/socket", folder);
    strcpy(address.sun_path, path);
    journal = socket(AF_UNIX, SOCK_DGRAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
    ck_assert_int_eq(bind(journal, (const struct sockaddr *)&address, sizeof(address)), 0);
    sender = journal_open();
    ck_assert_int_ge(sender, 0);
}

static void forget_journal(void)
{
    close(journal);
    close(sender);
    unlink(path);
    rmdir(folder);
}

static const char *received_text(void)
{
    static char text[512];
    ssize_t got = recv(journal, text, sizeof(text) - 1, 0);

    text[got > 0 ? got : 0] = '\0';
    return text;
}

static int send_text(enum journal_priority priority, pid_t pid, const char *text)
{
    return journal_send(sender, path, priority, pid, text, strlen(text));
}

START_TEST(a_line_has_its_priority_and_process)
{
    ck_assert_int_eq(send_text(JOURNAL_WARNING, 17, "lost = gone"), 0);
    ck_assert_str_eq(received_text(), "SYSLOG_IDENTIFIER=profd\nPRIORITY=4\nMESSAGE=lost = gone\n"
                                      "PROFD_PROCESS=17\n");
}
END_TEST

START_TEST(a_line_about_no_process_names_none)
{
    ck_assert_int_eq(send_text(JOURNAL_INFO, 0, "listening"), 0);
    ck_assert_str_eq(received_text(), "SYSLOG_IDENTIFIER=profd\nPRIORITY=6\nMESSAGE=listening\n");
}
END_TEST

/* Blocked for ever, the test would be ended by its time limit. */
START_TEST(a_journal_that_does_not_read_stops_nobody)
{
    int error = 0;

    for (int i = 0; i < 100000 && error == 0; i++)
        error = send_text(JOURNAL_INFO, 0, "again");
    ck_assert_int_eq(error, -EAGAIN);
    received_text();
    ck_assert_int_eq(send_text(JOURNAL_INFO, 0, "after"), 0);
}
END_TEST

START_TEST(no_journal_is_an_error)
{
    close(journal);
    ck_assert_int_eq(send_text(JOURNAL_INFO, 0, "x"), -ECONNREFUSED);
    unlink(path);
    ck_assert_int_eq(send_text(JOURNAL_INFO, 0, "x"), -ENOENT);
    journal = -1;
}
END_TEST

START_TEST(a_stream_is_told_by_device_and_inode)
{
    const struct stat status = { .st_dev = 8, .st_ino = 123 };

    ck_assert(journal_stream_is("8:123", &status));
    ck_assert(!journal_stream_is("8:124", &status));
    ck_assert(!journal_stream_is("9:123", &status));
    ck_assert(!journal_stream_is("8:123x", &status));
    ck_assert(!journal_stream_is("8", &status));
    ck_assert(!journal_stream_is("", &status));
    ck_assert(!journal_stream_is(NULL, &status));
}
END_TEST

/* The variable is inherited by programs whose standard error is another file. */
START_TEST(standard_error_has_to_be_the_stream)
{
    struct stat status;
    char text[64];

    unsetenv("JOURNAL_STREAM");
    ck_assert(!journal_is_standard_error());
    ck_assert_int_eq(fstat(STDERR_FILENO, &status), 0);
    snprintf(text, sizeof(text), "%ju:%ju", (uintmax_t)status.st_dev, (uintmax_t)status.st_ino);
    setenv("JOURNAL_STREAM", text, 1);
    ck_assert(journal_is_standard_error());
    dup2(sender, STDERR_FILENO);
    ck_assert(!journal_is_standard_error());
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("journal");
    TCase *tests = tcase_create("all");
    tcase_add_checked_fixture(tests, listen_as_journal, forget_journal);
    tcase_add_test(tests, a_line_has_its_priority_and_process);
    tcase_add_test(tests, a_line_about_no_process_names_none);
    tcase_add_test(tests, a_journal_that_does_not_read_stops_nobody);
    tcase_add_test(tests, no_journal_is_an_error);
    tcase_add_test(tests, a_stream_is_told_by_device_and_inode);
    tcase_add_test(tests, standard_error_has_to_be_the_stream);
    suite_add_tcase(suite, tests);
    return run_suite(suite);
}
