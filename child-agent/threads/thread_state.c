/* The calls of profd_threads.h. */
#include <sys/syscall.h>
#include <unistd.h>

#include "child-agent/recording.h"
#include "child-agent/threads/thread_registry.h"
#include "child-agent/upcalls.h"
#include "profd.h"

void profd_thread_sleep(void)
{
    struct thread_own_data *own = thread_own();
    if (own != NULL && own->sleep_depth++ == 0)
        atomic_store_explicit(&thread_current->sleep, THREAD_ASLEEP, memory_order_release);
}

void profd_thread_wake(void)
{
    struct thread_own_data *own = thread_own();
    if (own != NULL && own->sleep_depth > 0 && --own->sleep_depth == 0)
        atomic_store_explicit(&thread_current->sleep, THREAD_AWAKE, memory_order_release);
}

bool profd_thread_is_sleeping(void)
{
    return thread_own() != NULL && thread_own()->sleep_depth > 0;
}

struct profd_thread_id profd_current_thread_id(void)
{
    const struct thread_registration *self = thread_current;
    if (self != NULL)
        return self->id;
    return (struct profd_thread_id){ (int32_t)syscall(SYS_gettid) };
}

struct profd_process_id profd_current_process_id(void)
{
    return (struct profd_process_id){ getpid() };
}

bool profd_is_active_and_thread_is_registered(void)
{
    upcall_end_dormancy();
    return core_local.recording_generation != 0 && thread_current != NULL;
}

bool profd_thread_is_being_profiled(uint32_t features)
{
    const struct thread_registration *self = thread_current;
    upcall_end_dormancy();
    return self != NULL && (atomic_load(&self->profiled_features) & features) != 0;
}

bool profd_thread_with_id_is_being_profiled(struct profd_thread_id thread, uint32_t features)
{
    upcall_end_dormancy();
    return (thread_registry_profiled_features(thread) & features) != 0;
}
