/* daemon.process_tree */
#include <check.h>
#include <string.h>
#include <unistd.h>

#include "daemon/children/process_tree.h"

static const struct {
    const char *target, *executable;
    bool expect;
} programs[] = {
    { "/bin/cat", "/bin/cat", true },
    { "/bin/cat (deleted)", "/bin/cat", true },
    { "/odd (deleted)", "/odd (deleted)", true },
    { "/bin/cat", "/bin/dog", false },
    { "/bin/cats", "/bin/cat", false },
    { "/bin/cat", "/usr/bin/cat", false },
    { "/srv/jail/bin/cat", "/bin/cat", true },
    { "/srv/jail/bin/cat (deleted)", "/bin/cat", true },
};

START_TEST(a_program_is_known_by_what_the_kernel_calls_it)
{
    const char *target = programs[_i].target;

    ck_assert_msg(process_is_program(target, strlen(target), programs[_i].executable) ==
                      programs[_i].expect,
                  "%s as %s", target, programs[_i].executable);
}
END_TEST

START_TEST(a_process_descends_from_its_parents_only)
{
    ck_assert(process_descends_from(getpid(), getppid()));
    ck_assert(!process_descends_from(getppid(), getpid()));
    ck_assert(!process_descends_from(0, getpid()));
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("daemon.process_tree");
    TCase *questions = tcase_create("questions");
    tcase_add_loop_test(questions, a_program_is_known_by_what_the_kernel_calls_it, 0,
                        (int)(sizeof(programs) / sizeof(programs[0])));
    tcase_add_test(questions, a_process_descends_from_its_parents_only);
    suite_add_tcase(suite, questions);

    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_NORMAL);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed == 0 ? 0 : 1;
}
