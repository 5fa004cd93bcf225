#include "child-agent/census_unasked.h"

#include <limits.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <time.h>
#include <unistd.h>

#include "buffer/clock.h"
#include "child-agent/core.h"
#include "child-agent/guest/cpu_clock.h"
#include "child-agent/guest/memory_probe_x86_64.h"
#include "common/system_id.h"

static struct {
    struct census_ring *_Atomic ring; /* NULL: nobody is told */
    _Atomic unsigned ends;            /* how often telling has ended */
    _Atomic bool forgoes_calls;       /* a filter forbids some that telling of programs takes */
    pid_t process, parent;
} unasked;

/* A child in another pid namespace would tell of numbers that mean others here. A root without
 * /proc shows neither namespace; then nothing is known of another one. */
static bool keeps_pid_namespace(void)
{
    return pid_namespace() == pid_namespace_of_children();
}

void census_unasked_begin(struct census_ring *ring)
{
    if (ring == NULL || atomic_load(&unasked.ends) != 0 || !keeps_pid_namespace())
        return;
    unasked.process = getpid();
    unasked.parent = getppid();
    clock_look_for_calls();
    atomic_store(&core_local.tells_unasked, true);
    atomic_store(&unasked.ring, ring);
}

/* NULL: there is none, or it is used no more. */
static struct census_ring *ring_in_use(void)
{
    return atomic_load(&unasked.ends) == 0 ? atomic_load(&unasked.ring) : NULL;
}

void census_unasked_before_fork(void)
{
    if (!atomic_load(&core_local.tells_unasked) && ring_in_use() != NULL)
        census_unasked_end();
}

/* The C library knows the number of the thread that forked, which is that of the process. */
struct profd_process_id census_unasked_begin_child(void)
{
    clockid_t clock;
    if (ring_in_use() == NULL || pthread_getcpuclockid(pthread_self(), &clock) != 0)
        return (struct profd_process_id){ 0 };
    unasked.parent = unasked.process;
    unasked.process = thread_of_cpu_clock(clock).number;
    atomic_store(&core_local.tells_unasked, true);
    return (struct profd_process_id){ unasked.process };
}

void census_unasked_forgo_calls(void)
{
    atomic_store(&unasked.forgoes_calls, true);
}

void census_unasked_end(void)
{
    (void)atomic_fetch_add(&unasked.ends, 1);
}

bool census_unasked_has_ended(void)
{
    return atomic_load(&unasked.ends) != 0;
}

void census_unasked_undo_end(void)
{
    (void)atomic_fetch_sub(&unasked.ends, 1);
}

struct census_ring *census_unasked_ring(void)
{
    return atomic_load(&core_local.tells_unasked) ? ring_in_use() : NULL;
}

bool census_unasked_may_call(void)
{
    return census_unasked_ring() != NULL && !atomic_load(&unasked.forgoes_calls);
}

struct profd_process_id census_unasked_caller_of(const char *path)
{
    if (!census_unasked_may_call() ||
        !memory_probe_reads_string((uint64_t)(uintptr_t)path, PATH_MAX))
        return (struct profd_process_id){ 0 };
    return (struct profd_process_id){ getpid() };
}

pid_t census_unasked_parent_of(pid_t process)
{
    return process == unasked.process ? unasked.parent : unasked.process;
}
