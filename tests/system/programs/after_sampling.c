/* after_sampling [forever]: waits for samplings and says what became of each; with "forever" it
 * goes on until its standard input ends. */
#include <errno.h>
#include <poll.h>
#include <semaphore.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include <profd.h>

#include "burn.h"

static sem_t called;
static enum profd_sampling_outcome last_outcome;

static void note_outcome(enum profd_sampling_outcome outcome, void *context)
{
    last_outcome = outcome;
    sem_post(context);
}

static const char *text_of(enum profd_sampling_outcome outcome)
{
    switch (outcome) {
    case PROFD_SAMPLING_COMPLETED:
        return "completed";
    case PROFD_SAMPLING_PAUSED:
        return "paused";
    case PROFD_SAMPLING_STOPPED:
        return "stopped";
    }
    return "?";
}

static int wait_for_sampling(void)
{
    int error = profd_call_after_sampling(note_outcome, &called);
    if (error == 0)
        while (sem_wait(&called) < 0)
            ;
    return error;
}

int main(int argc, char **argv)
{
    struct pollfd input = { .fd = 0, .events = POLLIN };
    bool is_forever = argc > 1 && strcmp(argv[1], "forever") == 0;
    sem_init(&called, 0, 0);
    setvbuf(stdout, NULL, _IOLBF, 0);
    do {
        int error = wait_for_sampling();
        if (error < 0 && is_forever)
            burn_outer(0.001);
        else
            printf("%s\n", error < 0 ? strerror(-error) : text_of(last_outcome));
        if (last_outcome == PROFD_SAMPLING_PAUSED)
            PROFD_MARKER("not sampled", PROFD_CATEGORY_OTHER);
    } while (is_forever && poll(&input, 1, 0) == 0);
    return 0;
}
