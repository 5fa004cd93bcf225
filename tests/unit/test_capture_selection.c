/* Which processes a capture is of. */
#include <check.h>
#include <string.h>

#include "daemon/capture/capture_selection.h"
#include "tests/unit/run_suite.h"

static struct capture_selection selection;

static void select_by(const char *pids, const char *names)
{
    const struct message_client_capture message = { .pids = { pids, strlen(pids) },
                                                    .names = { names, strlen(names) },
                                                    .thread_filters = { "pool", 4 } };
    capture_selection_read(&message, &selection);
}

static bool selects_process(pid_t pid, const char *executable, const char *title)
{
    const struct selection_subject subject = { pid, executable, title };
    return capture_selection_has(&selection, &subject);
}

START_TEST(nothing_selects_everything)
{
    select_by("", "");
    ck_assert(!capture_selection_is_partial(&selection));
    ck_assert(selects_process(17, "/bin/sh", NULL));
    select_by(",,", ",");
    ck_assert(!capture_selection_is_partial(&selection));
    ck_assert_str_eq(selection.threads, "pool");
}
END_TEST

START_TEST(ids_select)
{
    select_by("17,,180", "");
    ck_assert(capture_selection_is_partial(&selection));
    ck_assert(selects_process(17, "/bin/sh", NULL));
    ck_assert(selects_process(180, "/bin/sh", NULL));
    ck_assert(!selects_process(1, "/bin/sh", NULL));
    ck_assert(!selects_process(18, "/bin/sh", NULL));
    ck_assert(!selects_process(170, "/bin/17", NULL));
}
END_TEST

START_TEST(names_select_by_a_part_of_the_program_in_whatever_case)
{
    select_by("", "GRES,worker");
    ck_assert(selects_process(1, "/usr/bin/postgres", NULL));
    ck_assert(selects_process(1, "my-worker", NULL));
    ck_assert(!selects_process(1, "/opt/worker/bin/sh", NULL));
    ck_assert(!selects_process(1, "", NULL));
}
END_TEST

START_TEST(names_select_by_a_part_of_the_title_too)
{
    select_by("", "Checkpointer,/sbin");
    ck_assert(selects_process(1, "/usr/bin/postgres", "postgres: checkpointer"));
    ck_assert(selects_process(1, "/usr/sbin/nginx", "nginx: master process /usr/sbin/nginx"));
    ck_assert(!selects_process(1, "/usr/sbin/nginx", "nginx: worker process"));
    ck_assert(!selects_process(1, "/usr/sbin/nginx", NULL));
}
END_TEST

START_TEST(either_is_enough)
{
    select_by("17", "postgres");
    ck_assert(selects_process(17, "/bin/sh", NULL));
    ck_assert(selects_process(18, "postgres", NULL));
    ck_assert(!selects_process(18, "/bin/sh", NULL));
}
END_TEST

START_TEST(words_are_told_one_by_one)
{
    struct selection_word word;
    select_by("17,18", ",sh,");
    ck_assert(capture_selection_next(&selection, NULL, &word));
    ck_assert(word.is_pid && word.length == 2 && memcmp(word.text, "17", 2) == 0);
    ck_assert(capture_selection_next(&selection, &word, &word));
    ck_assert(word.is_pid && memcmp(word.text, "18", 2) == 0);
    ck_assert(capture_selection_next(&selection, &word, &word));
    ck_assert(!word.is_pid && word.length == 2 && memcmp(word.text, "sh", 2) == 0);
    ck_assert(!capture_selection_next(&selection, &word, &word));
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("daemon.capture_selection");
    TCase *tcase = tcase_create("selection");
    tcase_add_test(tcase, nothing_selects_everything);
    tcase_add_test(tcase, ids_select);
    tcase_add_test(tcase, names_select_by_a_part_of_the_program_in_whatever_case);
    tcase_add_test(tcase, names_select_by_a_part_of_the_title_too);
    tcase_add_test(tcase, either_is_enough);
    tcase_add_test(tcase, words_are_told_one_by_one);
    suite_add_tcase(suite, tcase);
    return run_suite(suite);
}
