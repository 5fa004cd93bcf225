#include "child-agent/sampler/after_sampling.h"

#include <errno.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>

#include "child-agent/guest/named_mutex.h"
#include "child-agent/sampler/look_alarm.h"
#include "child-agent/upcalls.h"
#include "common/apart.h"

enum { MOST_CALLS = 64, WAKEUPS_UNTIL_DUE = 2 };

struct call {
    profd_after_sampling *function;
    void *context;
    unsigned wakeups; /* of the sampler since the request */
};

static struct {
    _Atomic bool is_open;
    /* Also read without the lock: at most ticks nobody waits. */
    _Atomic unsigned count;
} waiting;

static LARGE_APART struct call calls[MOST_CALLS]; /* that wait, in the order of the requests */

static struct named_mutex list_lock = NAMED_MUTEX_INITIALIZER(AFTER_SAMPLING);

int profd_call_after_sampling(profd_after_sampling *function, void *context)
{
    int error = 0;
    upcall_ensure_thread(); /* somebody has to make the call */
    named_mutex_lock(&list_lock);
    unsigned count = atomic_load(&waiting.count);
    if (!waiting.is_open) {
        error = -ESRCH;
    } else if (count == MOST_CALLS) {
        error = -EAGAIN;
    } else {
        calls[count] = (struct call){ .function = function, .context = context };
        atomic_store(&waiting.count, count + 1);
    }
    named_mutex_unlock(&list_lock);
    if (error == 0)
        look_alarm_ring();
    return error;
}

void after_sampling_open(void)
{
    named_mutex_lock(&list_lock);
    waiting.is_open = true;
    named_mutex_unlock(&list_lock);
}

bool after_sampling_is_awaited(void)
{
    return atomic_load(&waiting.count) != 0;
}

void after_sampling_note_tick(void)
{
    if (atomic_load(&waiting.count) == 0)
        return;
    named_mutex_lock(&list_lock);
    for (unsigned i = 0; i < atomic_load(&waiting.count); i++)
        calls[i].wakeups++;
    named_mutex_unlock(&list_lock);
}

/* Moves those that are due into OUT; returns how many. The lock is held. */
static unsigned take_due_calls(bool takes_all, struct call out[MOST_CALLS])
{
    unsigned taken = 0, kept = 0;
    for (unsigned i = 0; i < atomic_load(&waiting.count); i++) {
        if (takes_all || calls[i].wakeups >= WAKEUPS_UNTIL_DUE)
            out[taken++] = calls[i];
        else
            calls[kept++] = calls[i];
    }
    atomic_store(&waiting.count, kept);
    return taken;
}

static void make_calls(enum profd_sampling_outcome outcome)
{
    struct call due[MOST_CALLS];
    named_mutex_lock(&list_lock);
    unsigned count = take_due_calls(outcome != PROFD_SAMPLING_COMPLETED, due);
    named_mutex_unlock(&list_lock);
    for (unsigned i = 0; i < count; i++)
        due[i].function(outcome, due[i].context);
}

void after_sampling_call(enum profd_sampling_outcome outcome)
{
    if (atomic_load(&waiting.count) != 0)
        make_calls(outcome);
}

bool after_sampling_has_left(void)
{
    return atomic_load(&waiting.count) != 0 && !atomic_load(&waiting.is_open);
}

void after_sampling_call_left(void)
{
    if (after_sampling_has_left())
        make_calls(PROFD_SAMPLING_STOPPED);
}

void after_sampling_close(void)
{
    named_mutex_lock(&list_lock);
    waiting.is_open = false;
    named_mutex_unlock(&list_lock);
}

void after_sampling_after_fork_child(void)
{
    named_mutex_reset(&list_lock);
    waiting.is_open = false;
    atomic_store(&waiting.count, 0);
}
