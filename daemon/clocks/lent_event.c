#include "daemon/clocks/lent_event.h"

#include <errno.h>
#include <fcntl.h>
#include <stddef.h>
#include <unistd.h>

#include "buffer/arena.h"
#include "buffer/file_range.h"
#include "buffer/perf_event.h"
#include "daemon/children/pidfd.h"

/* Above what an ordinary process has for its own descriptors, for whose signals those of the event
 * are not to be taken. */
enum { LOWEST_NUMBER = 1024 };

/* --- The arena --- */

#define PLACE_OF(member) offsetof(struct arena_header, member)

/* What of its header tells people which clock the process has. */
struct clock_description {
    uint32_t clock, refusal;
    uint64_t interval_ns;
};

_Static_assert(PLACE_OF(sampling_interval_ns) - PLACE_OF(sampling_clock) ==
                       offsetof(struct clock_description, interval_ns) &&
                   PLACE_OF(sampling_clock_refusal) - PLACE_OF(sampling_clock) ==
                       offsetof(struct clock_description, refusal),
               "they stand together");

static int read_wish(int arena_fd, struct event_wish *out)
{
    ssize_t got = pread(arena_fd, out, sizeof(*out), PLACE_OF(event_loan.wish));

    return got < 0 ? -errno : got == (ssize_t)sizeof(*out) ? 0 : -EPROTO;
}

static int write_lent(int arena_fd, const struct event_lent *lent)
{
    return file_range_write(arena_fd, lent, sizeof(*lent), PLACE_OF(event_loan.lent));
}

/* Its number stays, see there. */
static int write_returned(int arena_fd)
{
    const int32_t none = 0;

    return file_range_write(arena_fd, &none, sizeof(none), PLACE_OF(event_loan.lent.signal));
}

static int describe_clock(int arena_fd, uint64_t interval_ns)
{
    const struct clock_description description = { SAMPLING_CLOCK_PERF, CLOCK_REFUSAL_NONE,
                                                   interval_ns };

    return file_range_write(arena_fd, &description, sizeof(description), PLACE_OF(sampling_clock));
}

static int describe_refusal(int arena_fd, int error)
{
    const uint32_t refusal = perf_event_refusal(error);

    if (refusal == CLOCK_REFUSAL_NONE)
        return 0;
    return file_range_write(arena_fd, &refusal, sizeof(refusal), PLACE_OF(sampling_clock_refusal));
}

/* --- The event --- */

static void close_event(struct lent_event *event)
{
    if (event->is_lent)
        close(event->descriptor);
    *event = (struct lent_event){ 0 };
}

void lent_event_take_back(struct lent_event *event, int arena_fd)
{
    bool was_lent = event->is_lent;

    close_event(event);
    if (was_lent && arena_fd >= 0)
        (void)write_returned(arena_fd); /* else who borrowed waits for it, for a moment */
}

/* The event moves to a number that hardly any process has for a descriptor of its own. */
static int raise_number(int *descriptor)
{
    int raised = fcntl(*descriptor, F_DUPFD_CLOEXEC, LOWEST_NUMBER);

    if (raised < 0)
        return errno == EINVAL ? -EMFILE : -errno; /* beyond the limit */
    close(*descriptor);
    *descriptor = raised;
    return 0;
}

/* The process knows the number before the first signal comes. */
static int start_event(int descriptor, const struct borrower *borrower, int signal,
                       uint64_t interval_ns)
{
    const struct event_lent lent = { interval_ns, signal, descriptor };
    int error = perf_event_direct(descriptor, borrower->pid, signal);

    if (error == 0)
        error = write_lent(borrower->arena_fd, &lent);
    if (error == 0 && pidfd_has_ended(borrower->pidfd))
        error = -ESRCH; /* its number may be another process' by now */
    return error < 0 ? error : perf_event_start(descriptor);
}

static int open_lent_event(struct lent_event *event, const struct borrower *borrower)
{
    uint64_t interval_ns =
        perf_event_granted_interval_ns(event->wanted_interval_ns, perf_event_most_per_second());
    int descriptor = -1;
    int error = perf_event_create(borrower->pid, interval_ns, &descriptor);

    if (error < 0)
        return error;
    error = raise_number(&descriptor);
    if (error == 0)
        error = start_event(descriptor, borrower, event->wanted_signal, interval_ns);
    if (error == 0)
        error = describe_clock(borrower->arena_fd, interval_ns);
    if (error < 0) {
        close(descriptor);
        (void)write_returned(borrower->arena_fd); /* ERROR is told already */
        return error;
    }
    event->is_lent = true;
    event->descriptor = descriptor;
    return 0;
}

/* --- What is wanted --- */

int lent_event_follow(struct lent_event *event, const struct borrower *borrower)
{
    struct event_wish wish;
    int error = read_wish(borrower->arena_fd, &wish);

    if (error < 0) {
        close_event(event);
        return error;
    }
    if (wish.signal == event->wanted_signal && wish.interval_ns == event->wanted_interval_ns)
        return 0;
    close_event(event);
    error = write_returned(borrower->arena_fd); /* also of a profd that was killed */
    event->wanted_signal = wish.signal;
    event->wanted_interval_ns = wish.interval_ns;
    if (error < 0 || wish.signal == 0)
        return error;
    error = perf_event_may_send(wish.signal) ? open_lent_event(event, borrower) : -EINVAL;
    if (error < 0)
        (void)describe_refusal(borrower->arena_fd, error); /* ERROR is told already */
    return error;
}

void lent_event_rest(struct lent_event *event, bool is_resting)
{
    if (!event->is_lent)
        return;
    /* An event that is there can be told so; its thread may have ended. */
    (void)(is_resting ? perf_event_rest : perf_event_start)(event->descriptor);
}
