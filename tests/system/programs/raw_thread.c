/* raw_thread: a thread made past the C library works for a second or so; nobody registers it. It
 * must not use the storage of threads, which it shares with the main one. */
#include <linux/futex.h>
#include <profd.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdint.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

enum { STACK_BYTES = 256 * 1024 };

static _Alignas(64) char stack[STACK_BYTES];
static _Atomic int tid = 1;
static volatile uint64_t sink;

static int work(void *argument)
{
    struct timespec now;
    (void)argument;
    (void)syscall(SYS_prctl, PR_SET_NAME, "raw worker", 0, 0, 0);
    do {
        for (unsigned i = 0; i < 100000; i++)
            sink += i * sink;
        (void)syscall(SYS_clock_gettime, CLOCK_THREAD_CPUTIME_ID, &now);
    } while (now.tv_sec < 1);
    return 0;
}

int main(void)
{
    const int flags = CLONE_VM | CLONE_FS | CLONE_FILES | CLONE_SIGHAND | CLONE_THREAD |
                      CLONE_SYSVSEM | CLONE_CHILD_CLEARTID;
    if (clone(work, stack + STACK_BYTES, flags, NULL, NULL, NULL, &tid) < 0)
        return 1;
    while (atomic_load(&tid) != 0)
        (void)syscall(SYS_futex, &tid, FUTEX_WAIT, 1, NULL, NULL, 0);
    /* It is gone; whoever looks at threads gets to see that, which takes something that runs. */
    for (int i = 0; i < 100; i++) {
        const struct timespec rest = { .tv_nsec = 10 * 1000 * 1000 };
        for (unsigned j = 0; j < 1000000; j++)
            sink += j * sink;
        (void)nanosleep(&rest, NULL);
    }
    return profd_thread_is_sleeping();
}
