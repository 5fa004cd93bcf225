/* A sampler that records nothing: preloaded, it gives a process a thread that wakes up once a
 * millisecond and signals the main one, whose handler is empty. What this costs a program is what
 * the machine asks for any sampling at 1 ms; bench compares profd with it. */
#include <pthread.h>
#include <signal.h>
#include <stddef.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

enum { INTERVAL_NS = 1000000, SECOND_NS = 1000000000 };

static void ignore(int signal_number)
{
    (void)signal_number;
}

static void *wake_and_signal(void *unused)
{
    struct timespec due;
    clock_gettime(CLOCK_MONOTONIC, &due);
    while (unused == NULL) {
        due.tv_nsec += INTERVAL_NS;
        due.tv_sec += due.tv_nsec / SECOND_NS;
        due.tv_nsec %= SECOND_NS;
        clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &due, NULL);
        syscall(SYS_tgkill, getpid(), getpid(), SIGURG);
    }
    return unused;
}

static __attribute__((constructor)) void start(void)
{
    struct sigaction action = { .sa_handler = ignore, .sa_flags = SA_RESTART };
    pthread_t thread;
    if (sigaction(SIGURG, &action, NULL) == 0)
        pthread_create(&thread, NULL, wake_and_signal, NULL);
}
