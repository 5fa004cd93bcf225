/* known_truth MODE SECONDS [THREADS]: threads whose functions know their own CPU time, for profiles
 * to be compared with. judge_truth compares them. MODE:
 *
 * - busy: more threads than CPUs, which never wait
 * - napping: 0.1 ms of work, 0.5 ms of sleep, now and then up to 3 ms
 * - handover: pairs that hand a mutex to and fro, for 0.1 ms of work each
 * - syscalls: as busy, more than half of it in the kernel
 * - blocking: pairs that wake each other, after little work, from epoll_wait, poll and a futex
 *
 * Prints, at the end, lines of fields separated by tabs; times are CPU time in ns:
 *
 * - program PID NAME
 * - hz TICKS (of the kernel, in a second)
 * - thread TID NAME TIME OTHER (what is in none of its functions)
 * - function TID NAME TIME CALLS
 */
#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdbool.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>

#include "tests/system/programs/known_functions.h"

enum { MAX_THREADS = 256 };

/* How one of a pair gives the turn to the other. */
struct baton {
    int event, epoll;
    sem_t semaphore;
};

struct pair {
    pthread_mutex_t mutex;
    pthread_cond_t changed;
    int turn;
    void (*wait)(struct baton *baton);
    void (*pass)(struct baton *baton);
    struct baton batons[2];
};

struct worker {
    struct known_thread known;
    pthread_t thread;
    int index;
    struct pair *pair;
};

struct mode {
    const char *name;
    void (*run)(struct worker *worker);
    int threads; /* for each CPU; 0: six in all */
    const unsigned *weights;
};

static const unsigned usual_weights[KNOWN_FUNCTIONS] = { 34, 22, 14, 10, 8, 4, 8 };
static const unsigned kernel_weights[KNOWN_FUNCTIONS] = { 14, 10, 8, 4, 3, 1, 60 };
static const struct mode *mode;
static struct worker workers[MAX_THREADS];
static struct pair pairs[MAX_THREADS / 2];
static uint64_t end_ns;

static bool is_over(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec >= end_ns;
}

/* Any function, as often as its weight says. */
static void work(struct worker *worker, double us)
{
    unsigned drawn = known_random(&worker->known, 100);
    int which = 0;
    while (drawn >= mode->weights[which])
        drawn -= mode->weights[which++];
    known_work(&worker->known, (enum known_function)which, us);
}

static void run_busy(struct worker *worker)
{
    while (!is_over())
        work(worker, 50 + known_random(&worker->known, 250));
}

static void run_napping(struct worker *worker)
{
    while (!is_over()) {
        struct timespec nap = { .tv_nsec = 500000 };
        if (known_random(&worker->known, 40) == 0)
            nap.tv_nsec = 1 + known_random(&worker->known, 3000000);
        work(worker, 100);
        clock_nanosleep(CLOCK_MONOTONIC, 0, &nap, NULL);
    }
}

static void run_handover(struct worker *worker)
{
    struct pair *pair = worker->pair;
    int own = worker->index % 2;
    pthread_mutex_lock(&pair->mutex);
    while (!is_over()) {
        while (pair->turn != own && !is_over())
            pthread_cond_wait(&pair->changed, &pair->mutex);
        work(worker, 100);
        pair->turn = !own;
        pthread_cond_signal(&pair->changed);
    }
    /* The other may have seen that it was not over, and wait. */
    pair->turn = !own;
    pthread_cond_signal(&pair->changed);
    pthread_mutex_unlock(&pair->mutex);
}

static void wait_in_epoll(struct baton *baton)
{
    struct epoll_event event;
    eventfd_t value;
    while (epoll_wait(baton->epoll, &event, 1, -1) != 1)
        continue;
    eventfd_read(baton->event, &value);
}

static void wait_in_poll(struct baton *baton)
{
    struct pollfd polled = { .fd = baton->event, .events = POLLIN };
    eventfd_t value;
    while (poll(&polled, 1, -1) != 1)
        continue;
    eventfd_read(baton->event, &value);
}

static void pass_event(struct baton *baton)
{
    eventfd_write(baton->event, 1);
}

static void wait_in_futex(struct baton *baton)
{
    while (sem_wait(&baton->semaphore) != 0)
        continue;
}

static void pass_semaphore(struct baton *baton)
{
    sem_post(&baton->semaphore);
}

static void run_blocking(struct worker *worker)
{
    struct pair *pair = worker->pair;
    int own = worker->index % 2;
    while (!is_over()) {
        pair->wait(&pair->batons[own]);
        work(worker, 20 + known_random(&worker->known, 80));
        pair->pass(&pair->batons[!own]);
    }
    /* The other may have seen that it was not over, and wait. */
    pair->pass(&pair->batons[!own]);
}

static const struct mode modes[] = {
    { "busy", run_busy, 2, usual_weights },         { "napping", run_napping, 4, usual_weights },
    { "handover", run_handover, 2, usual_weights }, { "syscalls", run_busy, 2, kernel_weights },
    { "blocking", run_blocking, 0, usual_weights },
};

static const struct mode *find_mode(const char *name)
{
    for (size_t i = 0; i < sizeof(modes) / sizeof(modes[0]); i++) {
        if (strcmp(modes[i].name, name) == 0)
            return &modes[i];
    }
    return NULL;
}

static int make_baton(struct baton *baton, bool is_first)
{
    struct epoll_event readable = { .events = EPOLLIN };
    baton->event = eventfd(is_first, EFD_CLOEXEC);
    baton->epoll = epoll_create1(EPOLL_CLOEXEC);
    if (baton->event < 0 || baton->epoll < 0 || sem_init(&baton->semaphore, 0, is_first) < 0)
        return -1;
    return epoll_ctl(baton->epoll, EPOLL_CTL_ADD, baton->event, &readable);
}

static int make_pair(int index)
{
    static void (*const waits[])(struct baton *) = { wait_in_epoll, wait_in_poll, wait_in_futex };
    struct pair *pair = &pairs[index];
    pthread_mutex_init(&pair->mutex, NULL);
    pthread_cond_init(&pair->changed, NULL);
    pair->wait = waits[index % 3];
    pair->pass = pair->wait == wait_in_futex ? pass_semaphore : pass_event;
    return make_baton(&pair->batons[0], true) < 0 || make_baton(&pair->batons[1], false) < 0 ? -1
                                                                                             : 0;
}

static void *run_worker(void *argument)
{
    struct worker *worker = argument;
    char name[16];
    snprintf(name, sizeof(name), "%s %d", mode->name, worker->index);
    pthread_setname_np(pthread_self(), name);
    known_thread_begin(&worker->known, name);
    mode->run(worker);
    known_thread_end(&worker->known);
    return NULL;
}

static int run_workers(int count)
{
    for (int i = 0; i < count / 2; i++) {
        if (make_pair(i) < 0)
            return -1;
    }
    for (int i = 0; i < count; i++) {
        workers[i].index = i;
        workers[i].pair = &pairs[i / 2];
        if (pthread_create(&workers[i].thread, NULL, run_worker, &workers[i]) != 0)
            return -1;
    }
    for (int i = 0; i < count; i++)
        pthread_join(workers[i].thread, NULL);
    return 0;
}

static void set_end(double seconds)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    end_ns = (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec + (uint64_t)(seconds * 1e9);
}

static double ticks_per_second(void)
{
    struct timespec tick;
    clock_getres(CLOCK_MONOTONIC_COARSE, &tick);
    return 1e9 / ((double)tick.tv_sec * 1e9 + (double)tick.tv_nsec);
}

int main(int argc, char **argv)
{
    struct known_thread main_thread;
    known_thread_begin(&main_thread, "main");
    mode = argc > 2 ? find_mode(argv[1]) : NULL;
    if (mode == NULL)
        return 2;
    int cpus = (int)sysconf(_SC_NPROCESSORS_ONLN), count = mode->threads * cpus;
    count = argc > 3 ? atoi(argv[3]) : count == 0 ? 6 : count;
    /* Pairs are two. */
    count = count > MAX_THREADS ? MAX_THREADS : (count + 1) / 2 * 2;
    if (known_prepare(&main_thread) < 0)
        return 1;
    set_end(strtod(argv[2], NULL));
    if (run_workers(count) < 0) {
        perror("known_truth");
        return 1;
    }
    printf("program\t%d\t%s\n", getpid(), program_invocation_short_name);
    printf("hz\t%.0f\n", ticks_per_second());
    for (int i = 0; i < count; i++)
        known_print(&workers[i].known);
    known_thread_end(&main_thread);
    known_print(&main_thread);
    return 0;
}
