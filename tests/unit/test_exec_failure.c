/* ipc.exec_failure: against what execvp itself says, in folders that a user may not enter. */
#include <check.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "common/exec_failure.h"
#include "tests/unit/run_suite.h"

enum { SOMEBODY = 65534 };

static char scratch[] = "/tmp/exec-failure-XXXXXX";

static void make_file(const char *name, mode_t mode)
{
    FILE *file = fopen(name, "we");

    ck_assert_ptr_nonnull(file);
    fclose(file);
    ck_assert_int_eq(chmod(name, mode), 0);
}

/* closed/ may not be entered by SOMEBODY; open/ has a file without permission and a folder. */
static void make_folders(void)
{
    ck_assert_ptr_nonnull(mkdtemp(scratch));
    ck_assert_int_eq(chmod(scratch, 0755), 0);
    ck_assert_int_eq(chdir(scratch), 0);
    ck_assert_int_eq(mkdir("closed", 0700), 0);
    ck_assert_int_eq(mkdir("open", 0755), 0);
    ck_assert_int_eq(mkdir("open/folder", 0755), 0);
    make_file("closed/hidden", 0755);
    make_file("open/document", 0644);
    make_file("here", 0644);
    if (geteuid() != 0) /* the owner of a folder without any permission may not enter it either */
        ck_assert_int_eq(chmod("closed", 0), 0);
}

static void remove_folders(void)
{
    static const char *const files[] = { "closed/hidden", "open/document", "here" };
    static const char *const folders[] = { "closed", "open/folder", "open", scratch };

    chmod("closed", 0700);
    for (size_t i = 0; i < sizeof(files) / sizeof(files[0]); i++)
        ck_assert_int_eq(unlink(files[i]), 0);
    for (size_t i = 0; i < sizeof(folders) / sizeof(folders[0]); i++)
        ck_assert_int_eq(rmdir(folders[i]), 0);
}

static const struct {
    const char *path, *name;
    int error; /* as a shell sees it */
} cases[] = {
    { "closed:open", "nosuch", -ENOENT },
    { "open", "nosuch", -ENOENT },
    { "closed", "hidden", -ENOENT }, /* as far as anybody can tell */
    { "closed:open", "document", -EACCES },
    { "open:closed", "document", -EACCES },
    { "closed:open", "folder", -ENOENT },
    { "closed:", "here", -EACCES },
    { ":closed", "here", -EACCES },
    { "closed::open", "here", -EACCES },
    { "closed", "here", -ENOENT },
    { "closed", "./here", -EACCES },
    { "closed", "closed/hidden", -EACCES },
    { "open", "./nosuch", -ENOENT },
    { "closed", "", -ENOENT },
    { NULL, "no-such-program-anywhere", -ENOENT },
};

/* In a process of its own, as who may not enter closed/: exits with the errno. */
static void try_to_execute(const char *name, const char *path)
{
    char *arguments[] = { (char *)name, NULL };

    if (geteuid() == 0 && setuid(SOMEBODY) != 0)
        _exit(0);
    if (path == NULL)
        unsetenv("PATH");
    else
        setenv("PATH", path, 1);
    execvp(name, arguments);
    _exit(-exec_failure(-errno, name, path));
}

START_TEST(a_name_that_is_nowhere_is_not_found)
{
    int status;
    pid_t child = fork();

    if (child == 0)
        try_to_execute(cases[_i].name, cases[_i].path);
    ck_assert_int_eq(waitpid(child, &status, 0), child);
    ck_assert(WIFEXITED(status));
    ck_assert_msg(WEXITSTATUS(status) == -cases[_i].error, "'%s' in %s: %s", cases[_i].name,
                  cases[_i].path, strerror(WEXITSTATUS(status)));
}
END_TEST

START_TEST(other_failures_are_told_as_they_are)
{
    ck_assert_int_eq(exec_failure(-ENOEXEC, "nosuch", "/nowhere"), -ENOEXEC);
    ck_assert_int_eq(exec_failure(-ENOMEM, "nosuch", "/nowhere"), -ENOMEM);
}
END_TEST

START_TEST(names_may_be_longer_than_any_file)
{
    static char name[8192];

    memset(name, 'x', sizeof(name) - 1);
    ck_assert_int_eq(exec_failure(-EACCES, name, "/bin"), -ENOENT);
    ck_assert_int_eq(exec_failure(-EACCES, "true", name), -ENOENT);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("ipc.exec_failure");
    TCase *telling = tcase_create("telling");

    tcase_add_unchecked_fixture(telling, make_folders, remove_folders);
    tcase_add_loop_test(telling, a_name_that_is_nowhere_is_not_found, 0,
                        (int)(sizeof(cases) / sizeof(cases[0])));
    tcase_add_test(telling, other_failures_are_told_as_they_are);
    tcase_add_test(telling, names_may_be_longer_than_any_file);
    suite_add_tcase(suite, telling);
    return run_suite(suite);
}
