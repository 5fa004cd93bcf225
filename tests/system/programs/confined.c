/* confined [again | few | signals | asks | allows | wrong | together | lends]: sets a filter that
 * kills whoever makes a call that is not on its list, which has what its threads need and the
 * handler of a signal; and works, as do a thread of before and some that it makes then. With
 * "again" it sets a second filter afterwards, without what a handler needs; with "few", too, and
 * the first one lacks a call that a sample may take. With "signals" it handles SIGURG behind the
 * filter, blocks all signals, and works while one comes that was asked for before. With "asks" it
 * asks before whether the kernel knows filters, as libseccomp does; with "allows" its first thread
 * sets one before that allows all. With "wrong" it asks for filters that cannot be read, before and
 * behind its own. With "together" four of its threads set one before at the same moment. With
 * "lends" a child that shares its memory asks for the strict mode behind it, before it sets a
 * second one itself. Prints "lives". */
#include <errno.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "burn.h"

enum { MOST_CALLS = 48, THREADS = 3, TOGETHER = 4 };

static const unsigned usual[] = {
    SYS_write,
    SYS_exit,
    SYS_exit_group,
    SYS_futex,
    SYS_mmap,
    SYS_mprotect,
    SYS_munmap,
    SYS_madvise,
    SYS_clone,
    SYS_clone3,
    SYS_rseq,
    SYS_gettid,
    SYS_set_robust_list,
    SYS_clock_gettime,
    SYS_seccomp,
    SYS_rt_sigprocmask,
    SYS_rt_sigaction,
    SYS_brk,
    SYS_munlock,
    /* Of one that lends its memory: */
    SYS_vfork,
    SYS_getpid,
    SYS_prctl,
    SYS_wait4,
};
enum { LENDING = sizeof(usual) / sizeof(usual[0]), USUAL = LENDING - 4 };

static double work_s = 0.05; /* of each thread */
static sem_t may_work;

static int set_filter(int lets_return, int count)
{
    struct sock_filter lines[2 * MOST_CALLS + 4] = { BPF_STMT(BPF_LD | BPF_W | BPF_ABS,
                                                              offsetof(struct seccomp_data, nr)) };
    unsigned short length = 1;
    for (int i = -1; i < count; i++) {
        if (i < 0 && !lets_return)
            continue;
        unsigned call = i < 0 ? SYS_rt_sigreturn : usual[i];
        lines[length++] = (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, call, 0, 1);
        lines[length++] = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW);
    }
    lines[length++] = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_KILL_PROCESS);
    const struct sock_fprog filter = { .len = length, .filter = lines };
    return (int)syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, SECCOMP_FILTER_FLAG_TSYNC, &filter);
}

static __attribute__((noinline)) void work_before(void)
{
    burn_outer(work_s);
}

static __attribute__((noinline)) void work_behind(void)
{
    burn_outer(work_s);
}

static __attribute__((noinline)) void work_as_first(void)
{
    burn_outer(work_s);
}

static void *wait_and_work(void *unused)
{
    sem_wait(&may_work);
    work_before();
    return unused;
}

static void *work(void *unused)
{
    work_behind();
    return unused;
}

/* When the threads of before and behind the filter have ended, which therefore work for less. */
static const struct timespec until_signal = { .tv_sec = 1 };
static const double work_before_signals_s = 0.01, work_behind_signal_s = 0.1;

static int ask_for_signal(void)
{
    struct sigevent event = { .sigev_notify = SIGEV_SIGNAL, .sigev_signo = SIGURG };
    const struct itimerspec setting = { .it_value = until_signal };
    timer_t timer;
    if (timer_create(CLOCK_MONOTONIC, &event, &timer) < 0)
        return -1;
    return timer_settime(timer, 0, &setting, NULL);
}

static void ignore_signal(int number)
{
    (void)number;
}

static int work_with_signals(void)
{
    const struct sigaction action = { .sa_handler = ignore_signal };
    sigset_t all, before;
    sigfillset(&all);
    if (sigaction(SIGURG, &action, NULL) < 0 || sigprocmask(SIG_BLOCK, &all, &before) < 0)
        return -1;
    burn_outer((double)until_signal.tv_sec + work_behind_signal_s);
    return sigprocmask(SIG_SETMASK, &before, NULL);
}

static long set_for_this_thread(const void *filter)
{
    return syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, 0, filter);
}

/* By a mode that there is, with flags that it does not have. */
static int ask_for_filters(void)
{
    return syscall(SYS_seccomp, SECCOMP_SET_MODE_STRICT, 1, NULL) < 0 && errno == EINVAL ? 0 : -1;
}

static int allow_all(void)
{
    struct sock_filter line = BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW);
    const struct sock_fprog filter = { .len = 1, .filter = &line };
    return (int)set_for_this_thread(&filter);
}

static pthread_barrier_t together;

static void *allow_all_at_once(void *argument)
{
    pthread_barrier_wait(&together);
    return allow_all() == 0 ? argument : NULL;
}

static int allow_all_together(void)
{
    pthread_t threads[TOGETHER];
    void *result;
    pthread_barrier_init(&together, NULL, TOGETHER);
    for (int i = 0; i < TOGETHER; i++)
        if (pthread_create(&threads[i], NULL, allow_all_at_once, &together) != 0)
            return -1;
    for (int i = 0; i < TOGETHER; i++)
        if (pthread_join(threads[i], &result) != 0 || result == NULL)
            return -1;
    return 0;
}

static int cannot_be_read(const void *filter)
{
    return set_for_this_thread(filter) < 0 && errno == EFAULT ? 0 : -1;
}

enum { PAGE_BYTES = 4096, LINES_BEFORE_GAP = 8 };

/* Where nothing is, and a program of which the middle is not there. */
static int ask_for_wrong_filters(uint8_t *pages)
{
    struct sock_filter *lines =
        (struct sock_filter *)(pages + PAGE_BYTES) - LINES_BEFORE_GAP; /* then comes the gap */
    struct sock_fprog filter = { .len = PAGE_BYTES / sizeof(*lines) + 2 * LINES_BEFORE_GAP,
                                 .filter = lines };
    for (int i = 0; i < LINES_BEFORE_GAP; i++)
        lines[i] = (struct sock_filter)BPF_STMT(BPF_LD | BPF_IMM, 0);
    if (cannot_be_read(&filter) < 0 || cannot_be_read(pages + PAGE_BYTES) < 0)
        return -1;
    filter.filter = (struct sock_filter *)(pages + PAGE_BYTES);
    return cannot_be_read(&filter);
}

static uint8_t *pages_with_gap(void)
{
    uint8_t *pages =
        mmap(NULL, 3 * PAGE_BYTES, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (pages == MAP_FAILED || mprotect(pages + PAGE_BYTES, PAGE_BYTES, PROT_NONE) < 0)
        return NULL;
    return pages;
}

static int lend_memory(void)
{
    int status;
    pid_t child = vfork(); /* NOLINT: which is what this is about */
    if (child == 0) {
        (void)prctl(PR_SET_SECCOMP, SECCOMP_MODE_STRICT, 0, 0, 0);
        (void)syscall(SYS_exit, 0);
    }
    return child > 0 && waitpid(child, &status, 0) == child && status == 0 ? 0 : -1;
}

static bool is_asked(int count, char **arguments, const char *what)
{
    return count > 1 && strcmp(arguments[1], what) == 0;
}

int main(int count, char **arguments)
{
    static const char text[] = "lives\n";
    pthread_t before, behind[THREADS];
    bool is_few = is_asked(count, arguments, "few");
    bool is_with_signals = is_asked(count, arguments, "signals");
    bool lends = is_asked(count, arguments, "lends");
    bool is_again = is_few || lends || is_asked(count, arguments, "again");
    uint8_t *pages = is_asked(count, arguments, "wrong") ? pages_with_gap() : NULL;
    if (is_with_signals)
        work_s = work_before_signals_s;
    sem_init(&may_work, 0, 0);
    if (pthread_create(&before, NULL, wait_and_work, NULL) != 0 ||
        (is_with_signals && ask_for_signal() < 0) || prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) < 0 ||
        (is_asked(count, arguments, "asks") && ask_for_filters() < 0) ||
        (is_asked(count, arguments, "allows") && allow_all() < 0) ||
        (is_asked(count, arguments, "together") && allow_all_together() < 0) ||
        (pages != NULL && ask_for_wrong_filters(pages) < 0) ||
        set_filter(1, lends    ? LENDING
                      : is_few ? USUAL - 1
                               : USUAL) != 0)
        return 2;
    sem_post(&may_work);
    for (int i = 0; i < THREADS; i++)
        if (pthread_create(&behind[i], NULL, work, NULL) != 0)
            return 3;
    if (lends && lend_memory() < 0)
        return 8;
    work_as_first();
    pthread_join(before, NULL);
    for (int i = 0; i < THREADS; i++)
        pthread_join(behind[i], NULL);
    if (is_with_signals && work_with_signals() < 0)
        return 6;
    if (pages != NULL && ask_for_wrong_filters(pages) < 0)
        return 7;
    if (is_again && set_filter(0, USUAL) != 0)
        return 4;
    if (is_again)
        burn_outer(work_s);
    return write(STDOUT_FILENO, text, sizeof(text) - 1) == sizeof(text) - 1 ? 0 : 5;
}
