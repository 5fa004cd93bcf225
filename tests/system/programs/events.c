/* events: a thread that tells of its events by hand; and misuses of that. */
#include <profd.h>
#include <stdlib.h>
#include <time.h>

#include "tests/system/programs/burn.h"

static void sleep_for_a_while(void)
{
    const struct timespec while_ = { .tv_nsec = 300 * 1000 * 1000 };
    (void)clock_nanosleep(CLOCK_MONOTONIC, 0, &while_, NULL);
}

int main(void)
{
    uint64_t start = PROFD_NOW();
    profd_event_end(); /* without a begin */
    profd_event_loop_turn();
    profd_event_loop_end();
    sleep_for_a_while();
    PROFD_MARKER_INTERVAL("waiting", PROFD_CATEGORY_OTHER, start, NULL);

    uint64_t queued_ns = now_ns();
    sleep_for_a_while();
    start = PROFD_NOW();
    profd_event_begin(queued_ns);
    profd_event_begin(0); /* inside */
    sleep_for_a_while();
    profd_event_end();
    sleep_for_a_while();
    profd_event_end();
    PROFD_MARKER_INTERVAL("handling", PROFD_CATEGORY_OTHER, start, NULL);

    profd_event_begin(UINT64_MAX); /* in the future */
    sleep_for_a_while();
    profd_event_end();

    profd_event_begin(0);
    profd_unregister_thread();
    profd_event_end();
    profd_register_thread("again");
    start = PROFD_NOW();
    sleep_for_a_while();
    PROFD_MARKER_INTERVAL("waiting again", PROFD_CATEGORY_OTHER, start, NULL);
    return 0;
}
