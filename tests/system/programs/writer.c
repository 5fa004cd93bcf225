/* writer FILE THREADS [REST_US]: THREADS threads write markers "count" with the text "THREAD
 * NUMBER", numbers from 1 on, as fast as they can or with REST_US in between. Before each, the
 * number goes into FILE: 8 bytes for each thread, which outlive the process. Until it is killed;
 * SIGUSR1 makes it quiet. */
#include <fcntl.h>
#include <profd.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include "tests/system/programs/idle_thread.h"

enum {
    MAX_THREADS = 64,
    LONGEST_S = 300, /* for a test that lost sight of it */
};

static volatile uint64_t *counts;
static useconds_t rest_us;
static volatile sig_atomic_t is_quiet;

static void be_quiet(int signal_number)
{
    (void)signal_number;
    is_quiet = 1;
}

static void *write_markers(void *argument)
{
    long thread = (long)argument;
    char text[48];

    for (uint64_t number = 1;; number++) {
        while (is_quiet)
            usleep(100000);
        counts[thread] = number;
        snprintf(text, sizeof(text), "%ld %llu", thread, (unsigned long long)number);
        PROFD_MARKER_TEXT("count", PROFD_CATEGORY_OTHER, text);
        if (rest_us > 0)
            usleep(rest_us);
    }
    return NULL;
}

/* Numbers count what is recorded: none before the session. */
static void wait_for_session(void)
{
    while (!profd_is_active())
        usleep(1000);
}

int main(int argc, char **argv)
{
    long threads = argc > 2 ? strtol(argv[2], NULL, 10) : 0;
    pthread_t thread;

    if (threads < 1 || threads > MAX_THREADS)
        return 2;
    rest_us = argc > 3 ? (useconds_t)strtoul(argv[3], NULL, 10) : 0;
    int fd = open(argv[1], O_RDWR | O_CREAT | O_CLOEXEC, 0600);
    if (fd < 0 || ftruncate(fd, MAX_THREADS * (off_t)sizeof(uint64_t)) < 0)
        return 1;
    counts = mmap(NULL, MAX_THREADS * sizeof(uint64_t), PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    if (counts == MAP_FAILED || idle_thread_if_wanted() != 0)
        return 1;
    alarm(LONGEST_S);
    signal(SIGUSR1, be_quiet);
    wait_for_session();
    for (long i = 1; i < threads; i++) {
        if (pthread_create(&thread, NULL, write_markers, (void *)i) != 0)
            return 1;
    }
    write_markers(NULL);
    return 0;
}
