#include "child-agent/census_unasked.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <time.h>
#include <unistd.h>

#include "buffer/clock.h"
#include "child-agent/core.h"
#include "child-agent/guest/cpu_clock.h"
#include "common/system_id.h"

static struct {
    struct census_ring *_Atomic ring; /* NULL: nobody is told */
    _Atomic bool has_ended;
    _Atomic bool lacks_pid; /* asking which process calls is forbidden */
    pid_t process, parent;
} unasked;

/* A child in another pid namespace would tell of numbers that mean others here. */
static bool keeps_pid_namespace(void)
{
    uint64_t own = pid_namespace();
    return own != 0 && own == pid_namespace_of_children();
}

void census_unasked_begin(struct census_ring *ring)
{
    if (ring == NULL || atomic_load(&unasked.has_ended) || !keeps_pid_namespace())
        return;
    unasked.process = getpid();
    unasked.parent = getppid();
    clock_look_for_calls();
    core_local.tells_unasked = true;
    atomic_store(&unasked.ring, ring);
}

void census_unasked_before_fork(void)
{
    if (!core_local.tells_unasked && atomic_load(&unasked.ring) != NULL)
        census_unasked_end();
}

/* The C library knows the number of the thread that forked, which is that of the process. */
struct profd_process_id census_unasked_begin_child(void)
{
    clockid_t clock;
    if (atomic_load(&unasked.ring) == NULL || pthread_getcpuclockid(pthread_self(), &clock) != 0)
        return (struct profd_process_id){ 0 };
    unasked.parent = unasked.process;
    unasked.process = thread_of_cpu_clock(clock).number;
    core_local.tells_unasked = true;
    return (struct profd_process_id){ unasked.process };
}

void census_unasked_forgo_pid(void)
{
    atomic_store(&unasked.lacks_pid, true);
}

void census_unasked_end(void)
{
    atomic_store(&unasked.has_ended, true);
    atomic_store(&unasked.ring, NULL);
}

struct census_ring *census_unasked_ring(void)
{
    return core_local.tells_unasked ? atomic_load(&unasked.ring) : NULL;
}

struct profd_process_id census_unasked_caller(void)
{
    return (struct profd_process_id){ atomic_load(&unasked.lacks_pid) ? 0 : getpid() };
}

pid_t census_unasked_parent_of(pid_t process)
{
    return process == unasked.process ? unasked.parent : unasked.process;
}
