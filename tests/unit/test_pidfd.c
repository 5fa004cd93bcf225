/* common.pidfd */
#include <check.h>
#include <errno.h>
#include <signal.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "common/pidfd.h"
#include "tests/unit/run_suite.h"

static pid_t begin_process(void)
{
    pid_t child = fork();
    if (child == 0)
        pause();
    return child;
}

static void end_process(pid_t process)
{
    kill(process, SIGKILL);
    ck_assert_int_eq(waitpid(process, NULL, 0), process);
}

START_TEST(each_process_has_its_own_beyond_its_end)
{
    pid_t one = begin_process(), other = begin_process();
    int pidfd = (int)syscall(SYS_pidfd_open, one, 0);
    uint64_t identity = pidfd_identity(pidfd);
    ck_assert_uint_eq(pidfd_identity_of_process(one), identity);
    if (identity != 0) /* else this kernel has none */
        ck_assert_uint_ne(pidfd_identity_of_process(other), identity);
    kill(one, SIGKILL);
    ck_assert_int_eq(waitid(P_PID, (id_t)one, &(siginfo_t){ 0 }, WEXITED | WNOWAIT), 0);
    ck_assert_uint_eq(pidfd_identity_of_process(one), identity); /* a zombie */
    end_process(one);
    end_process(other);
    ck_assert_uint_eq(pidfd_identity(pidfd), identity);
    ck_assert_uint_eq(pidfd_identity_of_process(one), 0);
    close(pidfd);
}
END_TEST

START_TEST(what_is_no_process_has_none)
{
    errno = E2BIG;
    ck_assert_uint_eq(pidfd_identity(STDIN_FILENO), 0);
    ck_assert_uint_eq(pidfd_identity(-1), 0);
    ck_assert_uint_eq(pidfd_identity_of_process(-1), 0);
    ck_assert_int_eq(errno, E2BIG);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("common.pidfd");
    TCase *tests = tcase_create("identities");
    tcase_add_test(tests, each_process_has_its_own_beyond_its_end);
    tcase_add_test(tests, what_is_no_process_has_none);
    suite_add_tcase(suite, tests);
    return run_suite(suite);
}
