#include "child-agent/task_places.h"

#include <errno.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "buffer/clock.h"
#include "child-agent/agent_presence.h"
#include "child-agent/agent_thread.h"
#include "child-agent/core.h"
#include "child-agent/guest/own_thread.h"
#include "child-agent/one_thread.h"
#include "child-agent/program_call.h"
#include "child-agent/sampler/sampler.h"
#include "child-agent/sampler/sampling_signal.h"
#include "child-agent/threads/thread_registry.h"
#include "common/time_units.h"

/* Who had no place for other reasons, which nobody tells, is not to pay for ours each time. */
#define FRUITLESS_REST_NS NS_PER_S
#define ENDING_NS         (10 * NS_PER_MS)
enum { ENDING_LOOKS = 20 };

static _Atomic uint64_t fruitless_ns; /* when they ended for nothing; 0: never */

static bool was_fruitless_just_now(void)
{
    uint64_t then_ns = atomic_load(&fruitless_ns);
    return then_ns != 0 && clock_monotonic_ns() - then_ns < FRUITLESS_REST_NS;
}

/* The kernel counts a thread that was joined for a moment longer. */
static void wait_until_gone(const int32_t *ids, size_t count)
{
    for (int i = 0; i < ONE_THREAD_LOOKS && count > 0; i++) {
        while (count > 0 && syscall(SYS_tgkill, getpid(), ids[count - 1], 0) < 0)
            count--;
        if (count > 0)
            one_thread_rest_between_looks();
    }
}

static bool have_threads(void)
{
    int32_t ids[OWN_THREADS_MOST];
    return own_thread_list(ids) > 0;
}

static bool end_threads(void)
{
    int32_t ids[OWN_THREADS_MOST];
    size_t count = own_thread_list(ids);
    if (count == 0)
        return false;
    agent_presence_give_way();
    one_thread_do_without_agent_threads();
    wait_until_gone(ids, count);
    return true;
}

/* A child of vfork has its parent's memory, and none of its threads. */
bool task_places_leave(void)
{
    struct program_call call;
    int call_errno = errno;
    bool has_left = false;
    if (have_threads() && sampling_signal_is_own_process() && !was_fruitless_just_now() &&
        program_call_begin(&call) == 0) {
        has_left = end_threads();
        program_call_end(&call);
    }
    errno = call_errno;
    return has_left;
}

void task_places_return(bool has_place)
{
    struct program_call call;
    int call_errno = errno;
    if (!has_place)
        atomic_store(&fruitless_ns, clock_monotonic_ns());
    if (program_call_begin(&call) == 0) {
        agent_presence_return_threads();
        program_call_end(&call);
    }
    errno = call_errno;
}

static bool has_thread_just_ended(void)
{
    return clock_monotonic_ns() - thread_registry_last_end_ns() < ENDING_NS;
}

int task_places_make(int (*make)(void *argument), void *argument)
{
    int error = make(argument);
    if (error != EAGAIN ||
        atomic_load(&core.has_filter)) /* behind which all of it may be forbidden */
        return error;
    for (int i = 0; i < ENDING_LOOKS && error == EAGAIN && has_thread_just_ended(); i++) {
        one_thread_rest_between_looks();
        error = make(argument);
    }
    if (error == EAGAIN && task_places_leave()) {
        error = make(argument);
        task_places_return(error != EAGAIN);
    }
    return error;
}
