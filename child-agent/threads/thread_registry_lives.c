/* Begins and ends registrations: a thread is registered by its creator, by itself, or as the one
 * that a fork leaves, and ends with its destructors. */
#include <errno.h>
#include <limits.h>
#include <pthread.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "buffer/clock.h"
#include "child-agent/core.h"
#include "child-agent/groups/stopwatch.h"
#include "child-agent/guest/cpu_clock.h"
#include "child-agent/recording.h"
#include "child-agent/sampler/clock_sampling.h"
#include "child-agent/sampler/signal_stack.h"
#include "child-agent/sampler/thread_mask.h"
#include "child-agent/threads/event_delay.h"
#include "child-agent/threads/label_stack.h"
#include "child-agent/threads/thread_registry.h"
#include "child-agent/threads/thread_registry_inside.h"
#include "child-agent/upcalls.h"
#include "common/file_name.h"

enum {
    REGISTRY_PAGE_BYTES = 4096,
    /* What a stack without a known limit may be at most. */
    REGISTRY_LARGEST_STACK_BYTES = 1 << 30,
    /* Above the outermost frame: what the caller left on the stack for it. */
    REGISTRY_STACK_TOP_SLACK_BYTES = 64,
};

extern void *__libc_stack_end; /* where the main thread's stack begins; kept by ld.so */

static __thread bool is_ending; /* the calling thread has run its last destructors */
static pthread_key_t end_key;   /* its destructor ends registrations */
/* Of the process' first thread. It may end before the process: by pthread_exit(), which unregisters
 * it, or by the kernel's call, which nobody need see. */
static struct thread_registration *_Atomic main_thread;
static _Atomic bool has_main_ended;

static _Atomic uint64_t last_end_ns; /* 0: none has ended */

uint64_t thread_registry_last_end_ns(void)
{
    return atomic_load(&last_end_ns);
}

/* The kernel takes the id out of the handle of a thread that has ended. */
static bool is_gone(const struct thread_registration *thread)
{
    clockid_t clock;
    return thread != NULL && pthread_getcpuclockid(thread->handle, &clock) == ESRCH;
}

static bool is_nobody_left(void)
{
    uint32_t count = thread_registry_live_count();
    return count == 0 ? atomic_load(&has_main_ended)
                      : count == 1 && is_gone(atomic_load(&main_thread));
}

/* The calling thread, SELF, is about to end. */
static void leave_registry(struct thread_registration *self)
{
    is_ending = true;
    if (self->is_main) {
        atomic_store(&main_thread, NULL);
        atomic_store(&has_main_ended, true);
    }
    if (!atomic_load(&core.has_filter))
        atomic_store(&last_end_ns, clock_monotonic_ns());
    thread_registry_unregister_current();
    /* The process ends with its last thread, which must be one of the program's. */
    if (is_nobody_left())
        upcall_end_threads();
}

/* A destructor of thread-specific data. Those of the program may still record, so the registration
 * stays until the last round of destructors, and what records after that is not registered again:
 * nobody would end it. */
static void end_registration(void *value)
{
    struct thread_registration *self = value;
    if (thread_registry_is_barred())
        return; /* the parent's, in a child that nobody follows */
    if (++self->own_.end_rounds < PTHREAD_DESTRUCTOR_ITERATIONS &&
        pthread_setspecific(end_key, self) == 0)
        return;
    leave_registry(self);
}

void thread_registry_leave_without_destructors(void)
{
    struct thread_registration *self = thread_current;
    if (self != NULL && self->is_recording == 0 && thread_registry_is_free() &&
        self->id.number == (int32_t)syscall(SYS_gettid))
        leave_registry(self);
}

int thread_registry_initialize(void)
{
    thread_registry_begin_process();
    return -pthread_key_create(&end_key, end_registration);
}

struct thread_registration *thread_registry_prepare(size_t stack_bytes)
{
    if (thread_registry_is_barred())
        return NULL;
    struct registry_access access = thread_registry_hold();
    struct thread_registration *registration = thread_registry_take_slot(access);
    if (registration != NULL) {
        registration->life = REGISTRATION_STARTING;
        registration->index = thread_registry_next_index(access);
        registration->stack_low = stack_bytes; /* until the thread knows where it is */
        thread_mask_inherit(&registration->own_);
    } else if (core_local.has_arena) {
        arena_count_drop(&core.arena, DROP_TOO_MANY_THREADS, 1);
    }
    thread_registry_release(access);
    return registration;
}

void thread_registry_cancel(struct thread_registration *registration)
{
    struct registry_access access = thread_registry_hold();
    registration->life = REGISTRATION_FREE;
    thread_registry_release(access);
}

/* Of the calling thread. The C library, which may know an older number in a copy of the process, is
 * asked where a filter might forbid to ask the kernel: threads made there are the library's. */
static struct profd_thread_id find_own_id(void)
{
    clockid_t clock;
    if (atomic_load(&core.has_filter) && pthread_getcpuclockid(pthread_self(), &clock) == 0)
        return thread_of_cpu_clock(clock);
    return (struct profd_thread_id){ (int32_t)syscall(SYS_gettid) };
}

/* Behind a filter the call may be forbidden, and kill: a thread is called as the program then. */
static void kernel_name(char out[THREAD_NAME_BYTES])
{
    memset(out, 0, THREAD_NAME_BYTES);
    if (atomic_load(&core.is_filtered))
        strncpy(out, file_name_of(core_executable()), THREAD_NAME_BYTES - 1);
    else if (prctl(PR_GET_NAME, out) < 0)
        out[0] = '\0';
}

/* The thread becomes live with NAME, or the kernel's name for it (NULL): that is asked for under
 * the lock, since nobody who renames the thread finds it before. */
static void show_thread(struct thread_registration *self, const char *name)
{
    char own_name[THREAD_NAME_BYTES];
    struct registry_access access = thread_registry_hold();
    if (name == NULL)
        kernel_name(own_name);
    self->life = REGISTRATION_LIVE;
    if (self->is_main)
        atomic_store(&main_thread, self);
    thread_registry_set_name(access, self, name != NULL ? name : own_name);
    if (core_local.has_arena)
        (void)thread_registry_describe_thread(access, self);
    thread_registry_release(access);
}

/* Fills in what only the thread itself can tell, and shows it to the sampler. */
static void make_thread_live(struct thread_registration *self, uint64_t stack_high,
                             const char *name)
{
    uint64_t stack_bytes = self->stack_low;
    if (stack_bytes > REGISTRY_LARGEST_STACK_BYTES)
        stack_bytes = REGISTRY_LARGEST_STACK_BYTES;
    self->stack_high = stack_high;
    self->stack_low = stack_high > stack_bytes ? stack_high - stack_bytes : 0;
    self->id = find_own_id();
    self->handle = pthread_self();
    self->labels = &thread_labels;
    self->cpu_clock = cpu_clock_of_thread(self->id);
    self->start_ns = clock_monotonic_ns();
    self->stopwatch = NULL;
    self->asking_frame = 0;
    self->is_in_groups = false;
    thread_current = self;
    signal_stack_begin(self);
    thread_mask_adopt();
    (void)pthread_setspecific(end_key, self);
    show_thread(self, name);
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
    uint64_t above = bytes_above(stack_top);
    if (above < registration->stack_low)
        registration->stack_low -= above; /* still the size */
    make_thread_live(registration, (uint64_t)(uintptr_t)stack_top, NULL);
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
    int error = pthread_getattr_np(pthread_self(), &attributes);
    if (error != 0)
        return -error;
    error = pthread_attr_getstack(&attributes, &low, &size);
    pthread_attr_destroy(&attributes);
    *bytes = size;
    *high = (uint64_t)(uintptr_t)low + size;
    return -error;
}

int thread_registry_register_current(const char *name, bool is_main)
{
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
        int error = current_stack(&stack_bytes, &stack_high);
        if (error < 0)
            return error;
    }
    struct thread_registration *self = thread_registry_prepare(stack_bytes);
    if (self == NULL)
        return -EAGAIN;
    self->is_main = is_main;
    make_thread_live(self, stack_high, name);
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
    clock_sampling_record_last(self);
    /* Before the slot can be reused: the handler finds nothing after this. */
    thread_current = NULL;
    signal_stack_end(self);
    (void)pthread_setspecific(end_key, NULL);

    struct registry_access access = thread_registry_hold();
    if (core_local.has_arena && thread_locked(access, self)->is_described)
        (void)dictionary_put_thread_end(&core.dictionary, self->index, clock_monotonic_ns());
    clock_sampling_leave(self);
    thread_registry_give_back_slot(access, self);
    thread_registry_release(access);
}

void thread_registry_end_silent(struct thread_registration *gone)
{
    struct timespec cpu_time;
    struct registry_access access = thread_registry_hold();
    /* The first thread is one for as long as the process. */
    if (gone->life == REGISTRATION_LIVE && !gone->is_main &&
        clock_gettime(gone->cpu_clock, &cpu_time) < 0) {
        recording_take_back_chunk(gone);
        if (core_local.has_arena && thread_locked(access, gone)->is_described)
            (void)dictionary_put_thread_end(&core.dictionary, gone->index, clock_monotonic_ns());
        clock_sampling_leave(gone);
        thread_registry_give_back_slot(access, gone);
    }
    thread_registry_release(access);
}

/* --- In a forked child --- */

/* The calling thread, SELF, becomes the first of the child. */
static void be_main(struct registry_access access, struct thread_registration *self)
{
    self->index = thread_registry_next_index(access);
    self->id.number = thread_registry_process().number; /* that of its first thread */
    self->is_main = true;
    atomic_store(&main_thread, self);
    self->cpu_clock = cpu_clock_of_thread(self->id);
    self->start_ns = clock_monotonic_ns();
    self->sampled_.run = 0;
    atomic_store(&self->profiled_features, 0);
    self->writer_generation = 0;
    thread_locked(access, self)->is_described = false;
    atomic_store(&self->is_in_fork, false);
    struct snapshot_copy *snapshot = atomic_load(&self->snapshot);
    if (snapshot != NULL)
        atomic_store(&snapshot->state, SNAPSHOT_EMPTY);
}

void thread_registry_unlock_in_child(void)
{
    struct thread_registration *self = thread_current;
    struct registry_access access = thread_registry_keep_only(self);
    atomic_store(&main_thread, NULL);
    atomic_store(&has_main_ended, false);
    thread_registry_forget_profiled(access);
    if (self != NULL)
        be_main(access, self);
    thread_registry_reset_lock(access);
}

void thread_registry_after_fork_child(void)
{
    if (thread_current != NULL)
        thread_current->is_recording = 0;
    else if (thread_registry_register_current(NULL, false) == 0) {
        thread_current->is_main = true; /* the agent did not see it begin: now it is the first */
        atomic_store(&main_thread, thread_current);
    }
}
