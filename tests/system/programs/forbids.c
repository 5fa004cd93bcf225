/* forbids WHAT WAY: forbids itself something, and then works, and lives on without it. WHAT is tsc
 * (to read the processor's time stamps), filter (all system calls but the few that it makes),
 * strict, or question (nothing: it asks with no filter whether the kernel knows such); WAY is libc
 * or syscall, by which the call is made. It works for 0.05 s at a time, or for forbids WHAT WAY
 * SECONDS. Prints "lives". */
#include <errno.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "profd.h"
#include "tests/system/programs/burn.h"

#define ALLOW(number)                                                                              \
    BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, number, 0, 1), BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW)

static const struct sock_filter filter[] = {
    BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
    ALLOW(SYS_write),
    ALLOW(SYS_exit_group),
    ALLOW(SYS_clock_gettime),
    ALLOW(SYS_rt_sigreturn),
    BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_KILL_PROCESS),
};

static double work_s = 0.05;

static void work(void)
{
    PROFD_LABEL_PUSH("at work", PROFD_CATEGORY_OTHER);
    burn_outer(work_s);
    PROFD_LABEL_POP();
}

static void say_lives(void)
{
    static const char text[] = "lives\n";
    (void)!write(STDOUT_FILENO, text, sizeof(text) - 1);
}

static void *work_in_thread(void *unused)
{
    work();
    return unused;
}

static int forbid_tsc(bool by_number)
{
    pthread_t thread;
    int status = 0;
    if ((by_number ? (int)syscall(SYS_prctl, PR_SET_TSC, PR_TSC_SIGSEGV, 0, 0, 0)
                   : prctl(PR_SET_TSC, PR_TSC_SIGSEGV, 0, 0, 0)) < 0)
        return 2;
    PROFD_MARKER_TEXT("forbidden", PROFD_CATEGORY_OTHER, "text");
    work();
    if (pthread_create(&thread, NULL, work_in_thread, NULL) != 0)
        return 2;
    pthread_join(thread, NULL);
    pid_t child = fork();
    if (child == 0) {
        work();
        _exit(0);
    }
    if (child < 0 || waitpid(child, &status, 0) != child || status != 0)
        return 1;
    say_lives();
    return 0;
}

static int forbid_calls(bool by_number)
{
    struct sock_fprog program = { .len = sizeof(filter) / sizeof(filter[0]),
                                  .filter = (struct sock_filter *)filter };
    if (syscall(SYS_prctl, PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) < 0 ||
        (by_number ? (int)syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, 0, &program)
                   : prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program)) < 0)
        return 2;
    work();
    say_lives();
    return 0;
}

static int forbid_all(bool by_number)
{
    if ((by_number ? (int)syscall(SYS_seccomp, SECCOMP_SET_MODE_STRICT, 0, NULL)
                   : prctl(PR_SET_SECCOMP, SECCOMP_MODE_STRICT)) < 0)
        return 2;
    for (int i = 0; i < 1000; i++)
        burn_inner();
    say_lives();
    return (int)syscall(SYS_exit, 0);
}

static int ask_for_filters(bool by_number)
{
    int answer = by_number ? (int)syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, 0, NULL)
                           : prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, NULL);
    if (answer == 0 || errno != EFAULT)
        return 2;
    work();
    say_lives();
    return 0;
}

int main(int argc, char **argv)
{
    bool by_number = argc > 2 && strcmp(argv[2], "syscall") == 0;
    if (argc < 2)
        return 2;
    if (argc > 3)
        work_s = strtod(argv[3], NULL);
    burn_outer(work_s);
    if (strcmp(argv[1], "tsc") == 0)
        return forbid_tsc(by_number);
    if (strcmp(argv[1], "question") == 0)
        return ask_for_filters(by_number);
    return strcmp(argv[1], "filter") == 0 ? forbid_calls(by_number) : forbid_all(by_number);
}
