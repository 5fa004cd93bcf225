#include <check.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "buffer/lease_ledger.h"
#include "daemon/keeping/kept_ledger.h"
#include "tests/unit/run_suite.h"

#define LIMIT ((uint64_t)64 << 20)

static struct lease_ledger ledger;
static int fd;

static void set_up(void)
{
    fd = memfd_create("ledger", MFD_CLOEXEC);
    ck_assert_int_eq(lease_ledger_create(fd, 7, LIMIT, &ledger), 0);
}

static void tear_down(void)
{
    lease_ledger_close(&ledger);
    close(fd);
}

static void lease_to(pid_t pid, bool is_foreign)
{
    uint32_t unit;
    ck_assert_int_eq(
        lease_take(&ledger, lease_owner_make(pid, 1 << 20, is_foreign), LEASE_TO_START, &unit), 0);
}

START_TEST(one_that_nobody_uses_has_none)
{
    ck_assert(!kept_ledger_has_living(fd));
    ck_assert(!kept_ledger_has_living(-1));
}
END_TEST

START_TEST(one_of_a_living_process_has)
{
    lease_to(getpid(), false);
    ck_assert(kept_ledger_has_living(fd));
}
END_TEST

START_TEST(one_of_a_process_that_has_ended_has_none)
{
    pid_t pid = fork();
    if (pid == 0)
        _exit(0);
    ck_assert_int_eq(waitpid(pid, NULL, 0), pid);
    lease_to(pid, false);
    ck_assert(!kept_ledger_has_living(fd));
}
END_TEST

START_TEST(those_of_other_namespaces_do_not_count)
{
    lease_to(getpid(), true);
    ck_assert(!kept_ledger_has_living(fd));
}
END_TEST

START_TEST(what_is_no_ledger_has_none)
{
    int other = memfd_create("other", MFD_CLOEXEC);
    ck_assert(!kept_ledger_has_living(other));
    close(other);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("daemon.keeping.kept_ledger");
    TCase *owners = tcase_create("owners");
    tcase_add_checked_fixture(owners, set_up, tear_down);
    tcase_add_test(owners, one_that_nobody_uses_has_none);
    tcase_add_test(owners, one_of_a_living_process_has);
    tcase_add_test(owners, one_of_a_process_that_has_ended_has_none);
    tcase_add_test(owners, those_of_other_namespaces_do_not_count);
    tcase_add_test(owners, what_is_no_ledger_has_none);
    suite_add_tcase(suite, owners);
    return run_suite(suite);
}
