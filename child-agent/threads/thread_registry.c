#include "child-agent/threads/thread_registry.h"

#include <errno.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "child-agent/core.h"
#include "child-agent/groups/stopwatch.h"
#include "child-agent/guest/named_mutex.h"
#include "child-agent/guest/real_calls.h"
#include "child-agent/one_thread.h"
#include "child-agent/recording.h"
#include "child-agent/sampler/clock_sampling.h"
#include "child-agent/sampler/cpu_clock.h"
#include "child-agent/sampler/signal_stack.h"
#include "child-agent/sampler/thread_mask.h"
#include "child-agent/threads/event_delay.h"
#include "common/thread_filters.h"

enum {
    REGISTRY_BLOCK_THREADS = 32,
    REGISTRY_BLOCKS = REGISTRY_MAX_THREADS / REGISTRY_BLOCK_THREADS,
    REGISTRY_FILTERS_BYTES = 4096,
    REGISTRY_PAGE_BYTES = 4096,
    /* What a stack without a known limit may be at most. */
    REGISTRY_LARGEST_STACK_BYTES = 1 << 30,
    /* Above the outermost frame: what the caller left on the stack for it. */
    REGISTRY_STACK_TOP_SLACK_BYTES = 64,
};

__thread struct thread_registration *thread_current;
static __thread bool is_ending;          /* the calling thread has run its last destructors */
static __thread bool is_locked_for_fork; /* by the calling thread, whose handlers may come here */

extern void *__libc_stack_end; /* where the main thread's stack begins; kept by ld.so */

static struct {
    struct named_mutex lock;
    pthread_key_t end_key; /* its destructor ends registrations */
    uint32_t slot_count;
    uint32_t next_index;
    bool is_sampler_running;
    _Atomic bool has_main_ended;     /* by pthread_exit(): the process goes on without it */
    struct profd_process_id process; /* the C library asks the kernel each time */
    struct thread_registration *blocks[REGISTRY_BLOCKS];
    char filters[REGISTRY_FILTERS_BYTES];
    uint32_t profiled_features; /* of threads that pass the filters; 0 without a session */
} registry = { .lock = NAMED_MUTEX_INITIALIZER(REGISTRY) };

static struct registry_access lock_registry(void)
{
    named_mutex_lock(&registry.lock);
    return (struct registry_access){ &registry.lock };
}

static void unlock_registry(struct registry_access access)
{
    (void)access;
    named_mutex_unlock(&registry.lock);
}

/* A destructor of thread-specific data. Those of the program may still record, so the registration
 * stays until the last round of destructors, and what records after that is not registered again:
 * nobody would end it. */
static void end_registration(void *value)
{
    struct thread_registration *self = value;
    if (++self->own_.end_rounds < PTHREAD_DESTRUCTOR_ITERATIONS &&
        pthread_setspecific(registry.end_key, self) == 0)
        return;
    is_ending = true;
    if (self->is_main)
        atomic_store(&registry.has_main_ended, true);
    thread_registry_unregister_current();
    /* The C library ends the process with its last thread, which must be one of the program's. */
    if (atomic_load(&registry.has_main_ended) && thread_registry_live_count() == 0)
        one_thread_end_others();
}

int thread_registry_initialize(void)
{
    registry.process = profd_current_process_id();
    return -pthread_key_create(&registry.end_key, end_registration);
}

struct thread_registration *thread_registry_at(uint32_t slot)
{
    return &registry.blocks[slot / REGISTRY_BLOCK_THREADS][slot % REGISTRY_BLOCK_THREADS];
}

uint32_t thread_registry_slot_count(void)
{
    struct registry_access access = lock_registry();
    uint32_t count = registry.slot_count;
    unlock_registry(access);
    return count;
}

static bool is_of_the_program(enum registration_life life)
{
    return life == REGISTRATION_STARTING || life == REGISTRATION_LIVE;
}

uint32_t thread_registry_live_count(void)
{
    uint32_t live = 0;
    struct registry_access access = lock_registry();
    for (uint32_t slot = 0; slot < registry.slot_count; slot++)
        live += is_of_the_program(thread_registry_at(slot)->life);
    unlock_registry(access);
    return live;
}

static int add_block(void)
{
    uint32_t block = registry.slot_count / REGISTRY_BLOCK_THREADS;
    if (block == REGISTRY_BLOCKS)
        return -EAGAIN;
    size_t bytes = REGISTRY_BLOCK_THREADS * sizeof(struct thread_registration);
    void *memory = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (memory == MAP_FAILED)
        return -errno;
    registry.blocks[block] = memory;
    return 0;
}

/* A free slot, wiped. */
static struct thread_registration *take_slot(struct registry_access access)
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

struct thread_registration *thread_registry_prepare(size_t stack_bytes)
{
    if (is_locked_for_fork)
        return NULL;
    struct registry_access access = lock_registry();
    struct thread_registration *registration = take_slot(access);
    if (registration != NULL) {
        registration->life = REGISTRATION_STARTING;
        registration->index = registry.next_index++;
        registration->stack_low = stack_bytes; /* until the thread knows where it is */
        thread_mask_inherit(&registration->own_);
    } else if (core_own.has_arena) {
        arena_count_drop(&core.arena, DROP_TOO_MANY_THREADS, 1);
    }
    unlock_registry(access);
    return registration;
}

void thread_registry_cancel(struct thread_registration *registration)
{
    struct registry_access access = lock_registry();
    registration->life = REGISTRATION_FREE;
    unlock_registry(access);
}

static void decide_profiling(struct registry_access access,
                             struct thread_registration *registration)
{
    const char *name = thread_locked(access, registration)->name;
    const struct thread_filter_subject subject = {
        .name = name,
        .name_length = strlen(name),
        .is_main = registration->is_main,
        .process = registry.process.number,
    };
    bool is_profiled = thread_filters_pass(registry.filters, &subject);
    atomic_store(&registration->profiled_features, is_profiled ? registry.profiled_features : 0);
    if (registration->life == REGISTRATION_LIVE)
        clock_sampling_follow(registration);
}

static void set_name(struct registry_access access, struct thread_registration *registration,
                     const char *name)
{
    snprintf(thread_locked(access, registration)->name, THREAD_NAME_BYTES, "%s", name);
    decide_profiling(access, registration);
}

/* Writes the thread into the dictionary. 0 or -ENOSPC (counted there). */
static int describe(struct registry_access access, struct thread_registration *thread)
{
    struct thread_locked_data *locked = thread_locked(access, thread);
    int err = dictionary_put_thread(&core.dictionary, thread->index, thread->id.number,
                                    thread->is_main, thread->start_ns, locked->name);
    locked->is_described = err == 0;
    return err;
}

/* Fills in what only the thread itself can tell, and shows it to the sampler. */
static void go_live(struct thread_registration *self, uint64_t stack_high, const char *name)
{
    uint64_t stack_bytes = self->stack_low;
    if (stack_bytes > REGISTRY_LARGEST_STACK_BYTES)
        stack_bytes = REGISTRY_LARGEST_STACK_BYTES;
    self->stack_high = stack_high;
    self->stack_low = stack_high > stack_bytes ? stack_high - stack_bytes : 0;
    self->id.number = (int32_t)syscall(SYS_gettid);
    self->handle = pthread_self();
    self->cpu_clock = cpu_clock_of_thread(self->id);
    self->start_ns = clock_monotonic_ns();
    self->stopwatch = NULL;
    self->asking_frame = 0;
    self->is_in_groups = false;
    thread_current = self;
    signal_stack_begin(self);
    thread_mask_adopt();
    (void)pthread_setspecific(registry.end_key, self);

    struct registry_access access = lock_registry();
    self->life = REGISTRATION_LIVE;
    set_name(access, self, name);
    if (core_own.has_arena)
        (void)describe(access, self);
    unlock_registry(access);
}

static void kernel_name(char out[THREAD_NAME_BYTES])
{
    memset(out, 0, THREAD_NAME_BYTES);
    if (prctl(PR_GET_NAME, out) < 0)
        out[0] = '\0';
}

/* What the C library takes from the top of a stack for itself and the thread's own variables: the
 * thread's handle is in the last or last but one page. Below the stack somebody else's memory may
 * begin, behind one page that may not be touched. */
static uint64_t bytes_above(const void *stack_top)
{
    uint64_t handle = (uint64_t)pthread_self(), top = (uint64_t)(uintptr_t)stack_top;
    uint64_t page_end = (handle | (REGISTRY_PAGE_BYTES - 1)) + 1;
    return page_end > top ? page_end - top : 0;
}

void thread_registry_adopt(struct thread_registration *registration, void *stack_top)
{
    char name[THREAD_NAME_BYTES];
    uint64_t above = bytes_above(stack_top);
    kernel_name(name);
    if (above < registration->stack_low)
        registration->stack_low -= above; /* still the size */
    go_live(registration, (uint64_t)(uintptr_t)stack_top, name);
}

static uint64_t main_stack_bytes(void)
{
    struct rlimit limit;
    if (getrlimit(RLIMIT_STACK, &limit) < 0 || limit.rlim_cur > REGISTRY_LARGEST_STACK_BYTES)
        return REGISTRY_LARGEST_STACK_BYTES;
    return limit.rlim_cur;
}

/* The calling thread's stack, for one that the agent did not see being created. */
static int current_stack(uint64_t *bytes, uint64_t *high)
{
    pthread_attr_t attributes;
    void *low = NULL;
    size_t size = 0;
    *bytes = *high = 0;
    int err = pthread_getattr_np(pthread_self(), &attributes);
    if (err != 0)
        return -err;
    err = pthread_attr_getstack(&attributes, &low, &size);
    pthread_attr_destroy(&attributes);
    *bytes = size;
    *high = (uint64_t)(uintptr_t)low + size;
    return -err;
}

int thread_registry_register_current(const char *name, bool is_main)
{
    char own_name[THREAD_NAME_BYTES];
    uint64_t stack_bytes, stack_high;
    if (thread_current != NULL) {
        if (name != NULL)
            thread_registry_rename(thread_current, name);
        return 0;
    }
    if (is_ending)
        return -ESRCH;
    if (core_is_forking)
        return -EAGAIN;
    if (is_main) {
        stack_bytes = main_stack_bytes();
        stack_high = (uint64_t)(uintptr_t)__libc_stack_end + REGISTRY_STACK_TOP_SLACK_BYTES;
    } else {
        int err = current_stack(&stack_bytes, &stack_high);
        if (err < 0)
            return err;
    }
    struct thread_registration *self = thread_registry_prepare(stack_bytes);
    if (self == NULL)
        return -EAGAIN;
    self->is_main = is_main;
    if (name == NULL) {
        kernel_name(own_name);
        name = own_name;
    }
    go_live(self, stack_high, name);
    return 0;
}

void thread_registry_unregister_current(void)
{
    struct thread_registration *self = thread_current;
    if (self == NULL)
        return;
    recording_give_back_chunk(self);
    event_delay_end(self);
    stopwatch_leave_thread();
    clock_sampling_tell_rest(self);
    /* Before the slot can be reused: from here on the handler finds nothing. */
    thread_current = NULL;
    signal_stack_end(self);
    (void)pthread_setspecific(registry.end_key, NULL);

    struct registry_access access = lock_registry();
    if (core_own.has_arena && thread_locked(access, self)->is_described)
        (void)dictionary_put_thread_end(&core.dictionary, self->index, clock_monotonic_ns());
    clock_sampling_leave(self);
    self->life = registry.is_sampler_running ? REGISTRATION_ENDED : REGISTRATION_FREE;
    unlock_registry(access);
}

/* The same name again leaves no trace: some programs say it with every
 * piece of work, and the dictionary has an end. */
static void rename_locked(struct registry_access access, struct thread_registration *registration,
                          const char *name)
{
    struct thread_locked_data *locked = thread_locked(access, registration);
    if (strncmp(locked->name, name, THREAD_NAME_BYTES - 1) == 0)
        return;
    set_name(access, registration, name);
    if (core_own.has_arena && locked->is_described)
        (void)dictionary_put_thread_name(&core.dictionary, registration->index,
                                         clock_monotonic_ns(), locked->name);
}

/* A thread that renames itself may leave the session so; one that another thread renames goes on
 * with its markers. */
static void follow_rename(struct thread_registration *renamed)
{
    bool has_markers = atomic_load(&renamed->profiled_features) & PROFD_THREAD_MARKERS;
    if (renamed == thread_current && !has_markers)
        recording_give_back_chunk(renamed);
}

void thread_registry_rename(struct thread_registration *registration, const char *name)
{
    if (is_locked_for_fork)
        return;
    struct registry_access access = lock_registry();
    rename_locked(access, registration, name);
    unlock_registry(access);
    follow_rename(registration);
}

void thread_registry_rename_handle(pthread_t handle, const char *name)
{
    struct thread_registration *found = NULL;
    if (is_locked_for_fork)
        return;
    struct registry_access access = lock_registry();
    for (uint32_t slot = 0; slot < registry.slot_count && found == NULL; slot++) {
        struct thread_registration *candidate = thread_registry_at(slot);
        if (candidate->life == REGISTRATION_LIVE && pthread_equal(candidate->handle, handle))
            found = candidate;
    }
    if (found != NULL)
        rename_locked(access, found, name);
    unlock_registry(access);
    if (found != NULL)
        follow_rename(found);
}

struct registry_access thread_registry_hold(void)
{
    return lock_registry();
}

void thread_registry_let_go(struct registry_access access)
{
    unlock_registry(access);
}

static void forget_described(struct registry_access access)
{
    for (uint32_t slot = 0; slot < registry.slot_count; slot++)
        thread_locked(access, thread_registry_at(slot))->is_described = false;
}

int thread_registry_describe(struct registry_access access)
{
    int err = 0;
    for (uint32_t slot = 0; slot < registry.slot_count && err == 0; slot++) {
        struct thread_registration *each = thread_registry_at(slot);
        if (each->life == REGISTRATION_LIVE)
            err = describe(access, each);
    }
    if (err < 0)
        forget_described(access);
    return err;
}

void thread_registry_set_profiled(const char *filters, uint32_t features)
{
    struct registry_access access = lock_registry();
    snprintf(registry.filters, sizeof(registry.filters), "%s", filters);
    registry.profiled_features = features;
    for (uint32_t slot = 0; slot < registry.slot_count; slot++)
        decide_profiling(access, thread_registry_at(slot));
    unlock_registry(access);
}

uint32_t thread_registry_profiled_features(struct profd_thread_id thread)
{
    uint32_t features = 0;
    struct registry_access access = lock_registry();
    for (uint32_t slot = 0; slot < registry.slot_count; slot++) {
        const struct thread_registration *each = thread_registry_at(slot);
        if (each->life == REGISTRATION_LIVE && each->id.number == thread.number)
            features = each->profiled_features;
    }
    unlock_registry(access);
    return features;
}

void thread_registry_visit_ids(void (*visit)(void *context, struct profd_thread_id thread),
                               void *context)
{
    struct registry_access access = lock_registry();
    for (uint32_t slot = 0; slot < registry.slot_count; slot++) {
        const struct thread_registration *each = thread_registry_at(slot);
        if (each->life == REGISTRATION_LIVE)
            visit(context, each->id);
    }
    unlock_registry(access);
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
    struct registry_access access = lock_registry();
    visit_live(access, visit);
    unlock_registry(access);
}

void thread_registry_visit_soon(void (*visit)(struct thread_registration *thread))
{
    if (!named_mutex_lock_soon(&registry.lock))
        return;
    const struct registry_access access = { &registry.lock };
    visit_live(access, visit);
    unlock_registry(access);
}

int thread_registry_signal(struct thread_registration *registration, int signal_number)
{
    int err = -ESRCH;
    struct registry_access access = lock_registry();
    if (registration->life == REGISTRATION_LIVE &&
        syscall(SYS_tgkill, registry.process.number, registration->id.number, signal_number) == 0)
        err = 0;
    unlock_registry(access);
    return err;
}

void thread_registry_free(struct thread_registration *registration)
{
    struct registry_access access = lock_registry();
    registration->life = REGISTRATION_FREE;
    unlock_registry(access);
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
    struct registry_access access = lock_registry();
    registry.is_sampler_running = is_running;
    if (!is_running)
        free_ended(access);
    unlock_registry(access);
}

bool thread_registry_is_quiet(void)
{
    bool is_quiet = true;
    struct registry_access access = lock_registry();
    for (uint32_t slot = 0; slot < registry.slot_count && is_quiet; slot++) {
        const struct thread_registration *each = thread_registry_at(slot);
        is_quiet = each->life != REGISTRATION_LIVE || each->is_recording == 0;
    }
    unlock_registry(access);
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

/* The calling thread, SELF, becomes the first of the child. */
static void be_main(struct thread_registration *self)
{
    self->index = registry.next_index++;
    self->id.number = registry.process.number; /* that of its first thread */
    self->is_main = true;
    self->cpu_clock = cpu_clock_of_thread(self->id);
    self->start_ns = clock_monotonic_ns();
    self->sampled_.run = 0;
    atomic_store(&self->profiled_features, 0);
    self->writer_generation = 0;
    self->locked_.is_described = false;
    atomic_store(&self->is_in_fork, false);
    struct snapshot_copy *snapshot = atomic_load(&self->snapshot);
    if (snapshot != NULL)
        atomic_store(&snapshot->state, SNAPSHOT_EMPTY);
}

void thread_registry_unlock_in_child(void)
{
    struct thread_registration *self = thread_current;
    registry.is_sampler_running = false;
    atomic_store(&registry.has_main_ended, false);
    registry.process = profd_current_process_id();
    registry.profiled_features = 0;
    for (uint32_t slot = 0; slot < registry.slot_count; slot++)
        if (thread_registry_at(slot) != self)
            thread_registry_at(slot)->life = REGISTRATION_FREE;
    registry.next_index = 0;
    if (self != NULL)
        be_main(self);
    is_locked_for_fork = false;
    named_mutex_reset(&registry.lock);
}

void thread_registry_after_fork_child(void)
{
    if (thread_current != NULL)
        thread_current->is_recording = 0;
    else if (thread_registry_register_current(NULL, false) == 0)
        thread_current->is_main = true; /* the agent did not see it begin: now it is the first */
}
