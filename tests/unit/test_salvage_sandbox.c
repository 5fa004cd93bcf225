/* The sandbox of profd-salvage: what it leaves, and what ends the process. */
#include <check.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "daemon/capture/salvage_sandbox.h"
#include "tests/unit/run_suite.h"

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define HAS_FILTER 0 /* sanitizers make calls of their own */
#else
#define HAS_FILTER 1
#endif

enum { REACHED = 7, NOT_ENTERED = 8 };

/* Runs ACT in a process that is in the sandbox; its wait status. */
static int in_sandbox(void (*act)(void))
{
    int status;
    pid_t pid = fork();
    if (pid == 0) {
        if (salvage_sandbox_enter(STDERR_FILENO) != 0)
            _exit(NOT_ENTERED);
        act();
        syscall(SYS_exit_group, REACHED);
    }
    ck_assert_int_eq(waitpid(pid, &status, 0), pid);
    return status;
}

static void open_file(void)
{
    syscall(SYS_open, "/etc/passwd", O_RDONLY);
}

static void open_file_at(void)
{
    syscall(SYS_openat, AT_FDCWD, "/etc/passwd", O_RDONLY);
}

static void make_socket(void)
{
    syscall(SYS_socket, AF_UNIX, SOCK_STREAM, 0);
}

static void make_process(void)
{
    syscall(SYS_fork);
}

static void become_another(void)
{
    char *arguments[] = { "/bin/true", NULL };
    syscall(SYS_execve, arguments[0], arguments, NULL);
}

static void signal_the_parent(void)
{
    syscall(SYS_kill, getppid(), SIGUSR1);
}

static void look_into_the_parent(void)
{
    syscall(SYS_ptrace, 16, getppid(), NULL, NULL);
}

static void make_code(void)
{
    syscall(SYS_mmap, NULL, 4096, PROT_READ | PROT_WRITE | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS,
            -1, 0);
}

static void (*const forbidden[])(void) = {
    open_file,      open_file_at,      make_socket,          make_process,
    become_another, signal_the_parent, look_into_the_parent, make_code,
};

START_TEST(what_it_does_not_need_ends_it)
{
    int status = in_sandbox(forbidden[_i]);
    if (!HAS_FILTER)
        return;
    ck_assert_msg(WIFSIGNALED(status), "number %d: wait status %#x", _i, (unsigned)status);
    ck_assert_int_eq(WTERMSIG(status), SIGSYS);
}
END_TEST

/* What making a profile takes: memory, files it was given, time. */
static void work(void)
{
    char byte = 0;
    char *memory = malloc(8 << 20);
    int fd = fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, 0);
    if (memory == NULL || fd < 0 || pread(fd, &byte, 0, 0) < 0 || close(fd) < 0 ||
        lseek(STDIN_FILENO, 0, SEEK_SET) < 0)
        _exit(1);
    free(memory);
}

START_TEST(what_it_needs_is_left)
{
    int file = memfd_create("file", 0);
    ck_assert_int_eq(dup2(file, STDIN_FILENO), STDIN_FILENO);
    int status = in_sandbox(work);
    ck_assert(WIFEXITED(status));
    ck_assert_int_eq(WEXITSTATUS(status), REACHED);
    close(file);
}
END_TEST

static int stranger;

static void use_other_descriptors(void)
{
    char byte;
    if (read(stranger, &byte, 1) != -1 || errno != EBADF)
        _exit(1);
}

START_TEST(descriptors_that_it_was_not_given_are_closed)
{
    stranger = memfd_create("stranger", 0);
    ck_assert_int_gt(stranger, STDERR_FILENO);
    int status = in_sandbox(use_other_descriptors);
    ck_assert(WIFEXITED(status));
    ck_assert_int_eq(WEXITSTATUS(status), REACHED);
    close(stranger);
}
END_TEST

static void eat_memory(void)
{
    if (mmap(NULL, (size_t)(SALVAGE_MEMORY_GIGABYTES + 1) << 30, PROT_READ,
             MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0) != MAP_FAILED)
        _exit(1);
}

START_TEST(memory_is_bounded)
{
    int status = in_sandbox(eat_memory);
    if (!HAS_FILTER)
        return;
    ck_assert(WIFEXITED(status));
    ck_assert_int_eq(WEXITSTATUS(status), REACHED);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("daemon.salvage_sandbox");
    TCase *tests = tcase_create("sandbox");
    tcase_set_timeout(tests, 60);
    tcase_add_loop_test(tests, what_it_does_not_need_ends_it, 0,
                        (int)(sizeof(forbidden) / sizeof(forbidden[0])));
    tcase_add_test(tests, what_it_needs_is_left);
    tcase_add_test(tests, descriptors_that_it_was_not_given_are_closed);
    tcase_add_test(tests, memory_is_bounded);
    suite_add_tcase(suite, tests);
    return run_suite(suite);
}
