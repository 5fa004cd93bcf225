#include "child-agent/threads/thread_registry.h"

#include <errno.h>
#include <signal.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "child-agent/core.h"
#include "child-agent/guest/named_mutex.h"
#include "child-agent/threads/thread_registry_inside.h"
#include "common/apart.h"

enum {
    REGISTRY_BLOCK_THREADS = 32,
    REGISTRY_BLOCKS = REGISTRY_MAX_THREADS / REGISTRY_BLOCK_THREADS,
};

__thread struct thread_registration *thread_current;
static __thread bool is_locked_for_fork; /* by the calling thread, whose handlers may come here */

static struct {
    struct named_mutex lock;
    uint32_t slot_count;
    uint32_t next_index;
    bool is_sampler_running;
    struct profd_process_id process; /* the C library asks the kernel each time */
} registry = { .lock = NAMED_MUTEX_INITIALIZER(REGISTRY) };

static LARGE_FIRST struct thread_registration first_block[REGISTRY_BLOCK_THREADS];
static LARGE_EARLY struct thread_registration *blocks[REGISTRY_BLOCKS];

struct registry_access thread_registry_hold(void)
{
    named_mutex_lock(&registry.lock);
    return (struct registry_access){ &registry.lock };
}

void thread_registry_release(struct registry_access access)
{
    (void)access;
    named_mutex_unlock(&registry.lock);
}

void thread_registry_begin_process(void)
{
    registry.process = profd_current_process_id();
}

struct profd_process_id thread_registry_process(void)
{
    return registry.process;
}

uint32_t thread_registry_next_index(struct registry_access access)
{
    (void)access;
    return registry.next_index++;
}

uint32_t thread_registry_slots(struct registry_access access)
{
    (void)access;
    return registry.slot_count;
}

struct thread_registration *thread_registry_at(uint32_t slot)
{
    return &blocks[slot / REGISTRY_BLOCK_THREADS][slot % REGISTRY_BLOCK_THREADS];
}

uint32_t thread_registry_slot_count(void)
{
    struct registry_access access = thread_registry_hold();
    uint32_t count = registry.slot_count;
    thread_registry_release(access);
    return count;
}

static bool is_of_the_program(enum registration_life life)
{
    return life == REGISTRATION_STARTING || life == REGISTRATION_LIVE;
}

uint32_t thread_registry_live_count(void)
{
    uint32_t live = 0;
    struct registry_access access = thread_registry_hold();
    for (uint32_t slot = 0; slot < registry.slot_count; slot++)
        live += is_of_the_program(thread_registry_at(slot)->life);
    thread_registry_release(access);
    return live;
}

static int add_block(void)
{
    uint32_t block = registry.slot_count / REGISTRY_BLOCK_THREADS;
    if (block == REGISTRY_BLOCKS)
        return -EAGAIN;
    void *memory = first_block;
    if (block > 0)
        memory = mmap(NULL, sizeof(first_block), PROT_READ | PROT_WRITE,
                      MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (memory == MAP_FAILED)
        return -errno;
    blocks[block] = memory;
    return 0;
}

struct thread_registration *thread_registry_take_slot(struct registry_access access)
{
    (void)access;
    for (uint32_t slot = 0; slot < registry.slot_count; slot++) {
        struct thread_registration *found = thread_registry_at(slot);
        if (found->life == REGISTRATION_FREE) {
            struct snapshot_copy *snapshot = atomic_load(&found->snapshot);
            void *signal_stack = found->signal_stack;
            memset(found, 0, sizeof(*found));
            atomic_store(&found->snapshot, snapshot);
            found->signal_stack = signal_stack;
            found->slot = slot;
            return found;
        }
    }
    if (registry.slot_count % REGISTRY_BLOCK_THREADS == 0 && add_block() < 0)
        return NULL;
    struct thread_registration *added = thread_registry_at(registry.slot_count);
    added->slot = registry.slot_count++;
    return added;
}

void thread_registry_give_back_slot(struct registry_access access,
                                    struct thread_registration *ended)
{
    (void)access;
    ended->life = registry.is_sampler_running ? REGISTRATION_ENDED : REGISTRATION_FREE;
}

void thread_registry_visit_ids(void (*visit)(void *context, struct profd_thread_id thread),
                               void *context)
{
    struct registry_access access = thread_registry_hold();
    for (uint32_t slot = 0; slot < registry.slot_count; slot++) {
        const struct thread_registration *each = thread_registry_at(slot);
        if (each->life == REGISTRATION_LIVE)
            visit(context, each->id);
    }
    thread_registry_release(access);
}

static void visit_live(struct registry_access access,
                       void (*visit)(struct thread_registration *thread))
{
    (void)access;
    for (uint32_t slot = 0; slot < registry.slot_count; slot++) {
        if (thread_registry_at(slot)->life == REGISTRATION_LIVE)
            visit(thread_registry_at(slot));
    }
}

void thread_registry_visit(void (*visit)(struct thread_registration *thread))
{
    struct registry_access access = thread_registry_hold();
    visit_live(access, visit);
    thread_registry_release(access);
}

void thread_registry_try_visit(void (*visit)(struct thread_registration *thread))
{
    if (!named_mutex_lock_polling(&registry.lock))
        return;
    const struct registry_access access = { &registry.lock };
    visit_live(access, visit);
    thread_registry_release(access);
}

static int queue_signal(const struct thread_registration *registration, siginfo_t *info)
{
    long failed = syscall(SYS_rt_tgsigqueueinfo, registry.process.number, registration->id.number,
                          info->si_signo, info);
    return failed ? -errno : 0;
}

int thread_registry_signal(struct thread_registration *registration, int signal_number, void *mark)
{
    siginfo_t info = { .si_signo = signal_number, .si_code = SI_QUEUE };
    info.si_pid = registry.process.number;
    info.si_value.sival_ptr = mark;
    struct registry_access access = thread_registry_hold();
    int error =
        registration->life == REGISTRATION_LIVE ? queue_signal(registration, &info) : -ESRCH;
    thread_registry_release(access);
    return error;
}

void thread_registry_free(struct thread_registration *registration)
{
    struct registry_access access = thread_registry_hold();
    registration->life = REGISTRATION_FREE;
    thread_registry_release(access);
}

static void free_ended(struct registry_access access)
{
    (void)access;
    for (uint32_t slot = 0; slot < registry.slot_count; slot++) {
        struct thread_registration *each = thread_registry_at(slot);
        if (each->life == REGISTRATION_ENDED)
            each->life = REGISTRATION_FREE;
    }
}

void thread_registry_set_sampler_running(bool is_running)
{
    struct registry_access access = thread_registry_hold();
    registry.is_sampler_running = is_running;
    if (!is_running)
        free_ended(access);
    thread_registry_release(access);
}

bool thread_registry_is_quiet(void)
{
    bool is_quiet = true;
    struct registry_access access = thread_registry_hold();
    for (uint32_t slot = 0; slot < registry.slot_count && is_quiet; slot++) {
        const struct thread_registration *each = thread_registry_at(slot);
        is_quiet = each->life != REGISTRATION_LIVE || each->is_recording == 0;
    }
    thread_registry_release(access);
    return is_quiet;
}

bool thread_registry_is_free(void)
{
    return named_mutex_is_free_in_handler(&registry.lock);
}

void thread_registry_before_fork(void)
{
    if (thread_current != NULL)
        atomic_store(&thread_current->is_in_fork, true);
    named_mutex_lock(&registry.lock);
    is_locked_for_fork = true;
}

void thread_registry_after_fork_parent(void)
{
    is_locked_for_fork = false;
    named_mutex_unlock(&registry.lock);
    if (thread_current != NULL)
        atomic_store(&thread_current->is_in_fork, false);
}

bool thread_registry_is_barred(void)
{
    return is_locked_for_fork || (core.is_enabled && !core_local.has_locks);
}

struct registry_access thread_registry_keep_only(const struct thread_registration *self)
{
    registry.is_sampler_running = false;
    registry.next_index = 0;
    thread_registry_begin_process();
    for (uint32_t slot = 0; slot < registry.slot_count; slot++)
        if (thread_registry_at(slot) != self)
            thread_registry_at(slot)->life = REGISTRATION_FREE;
    return (struct registry_access){ &registry.lock };
}

void thread_registry_reset_lock(struct registry_access access)
{
    (void)access;
    is_locked_for_fork = false;
    named_mutex_reset(&registry.lock);
}
