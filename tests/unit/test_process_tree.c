/* daemon.process_tree */
#include <check.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "daemon/children/process_tree.h"
#include "tests/unit/run_suite.h"

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

/* --- What a process runs --- */

static char folder[] = "/tmp/profd-test-program.XXXXXX";
static char path[4096]; /* of the last path_of() */

static const char *path_of(const char *name)
{
    snprintf(path, sizeof(path), "%s/%s", folder, name);
    return path;
}

static void write_script(const char *name, const char *interpreter)
{
    FILE *file = fopen(path_of(name), "w");

    ck_assert_ptr_nonnull(file);
    fprintf(file, "#!%s\nread line\n", interpreter);
    ck_assert_int_eq(fclose(file), 0);
    ck_assert_int_eq(chmod(path, 0755), 0);
}

static void make_programs(void)
{
    char script[64];

    ck_assert_ptr_nonnull(mkdtemp(folder));
    ck_assert_int_eq(symlink("/bin/sh", path_of("link")), 0);
    write_script("script", "/bin/sh");
    snprintf(script, sizeof(script), "%s/script", folder);
    write_script("script-of-script", script);
}

static void remove_programs(void)
{
    static const char *const names[] = { "link", "script", "script-of-script" };

    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
        unlink(path_of(names[i]));
    rmdir(folder);
}

/* Runs PROGRAM, which waits for its standard input, until stop_program(). */
static pid_t start_program(const char *program)
{
    int ends[2];
    char byte;

    ck_assert_int_eq(pipe2(ends, O_CLOEXEC), 0);
    pid_t pid = fork();
    ck_assert_int_ge(pid, 0);
    if (pid == 0) {
        static int input[2];
        if (pipe(input) == 0 && dup2(input[0], STDIN_FILENO) >= 0)
            execl(program, program, NULL);
        _exit(127);
    }
    close(ends[1]);
    ck_assert_int_eq(read(ends[0], &byte, 1), 0); /* closed by its exec */
    close(ends[0]);
    return pid;
}

static void stop_program(pid_t pid)
{
    ck_assert_int_eq(kill(pid, SIGKILL), 0);
    ck_assert_int_eq(waitpid(pid, NULL, 0), pid);
}

static const struct {
    const char *started, *executable;
    bool is_it, is_other; /* neither: it cannot be told */
} runs[] = {
    { "/bin/sh", "/bin/sh", true, false },
    { "/bin/sh", "/bin/./sh", true, false },
    { "link", "link", true, false },
    { "script", "script", true, false },
    { "script-of-script", "script-of-script", true, false },
    { "/bin/sh", "/bin/cat", false, true },
    { "link", "/bin/cat", false, true },
    { "/bin/sh", "removed", false, false },
};

static const char *full_path(const char *name)
{
    return name[0] == '/' ? name : path_of(name);
}

START_TEST(what_a_process_runs_is_a_file_whatever_its_names)
{
    pid_t pid = start_program(full_path(runs[_i].started));
    bool is_it = process_runs_program(pid, full_path(runs[_i].executable));
    bool is_other = process_runs_other_program(pid, full_path(runs[_i].executable));

    stop_program(pid);
    ck_assert_msg(is_it == runs[_i].is_it, "%s as %s", runs[_i].started, runs[_i].executable);
    ck_assert_msg(is_other == runs[_i].is_other, "%s not as %s", runs[_i].started,
                  runs[_i].executable);
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
    TCase *programs_run = tcase_create("programs run");
    tcase_add_unchecked_fixture(programs_run, make_programs, remove_programs);
    tcase_add_loop_test(programs_run, what_a_process_runs_is_a_file_whatever_its_names, 0,
                        (int)(sizeof(runs) / sizeof(runs[0])));
    suite_add_tcase(suite, programs_run);
    return run_suite(suite);
}
