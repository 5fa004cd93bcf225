#include <errno.h>
#include <limits.h>
#include <link.h>
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "child-agent/guest/address_space.h"
#include "child-agent/guest/descriptor.h"
#include "child-agent/guest/own_thread.h"
#include "child-agent/guest/process_memory.h"
#include "child-agent/guest/real_calls.h"

enum {
    AGENT_STACK_BYTES = 512 * 1024,
    AGENT_LEAST_STACK_BYTES = 128 * 1024, /* several times what they use */
};

/* A thread of the agent's own. */
static struct own_thread {
    _Atomic bool is_taken;
    _Atomic int32_t tid; /* 0: it has not begun, or has ended */
    void *(*start_routine)(void *);
    void *argument;
} own_threads[OWN_THREADS_MOST];

static size_t stack_bytes; /* 0: not known yet */

static int add_tls(struct dl_phdr_info *info, size_t size, void *total_bytes)
{
    (void)size;
    for (size_t i = 0; i < info->dlpi_phnum; i++)
        if (info->dlpi_phdr[i].p_type == PT_TLS)
            *(size_t *)total_bytes += info->dlpi_phdr[i].p_memsz + info->dlpi_phdr[i].p_align;
    return 0;
}

static size_t affordable_stack_bytes(void)
{
    size_t bytes = address_space_within(ADDRESSES_THREAD_STACK, AGENT_STACK_BYTES);
    return bytes > AGENT_LEAST_STACK_BYTES ? bytes : AGENT_LEAST_STACK_BYTES;
}

/* glibc takes the program's static TLS out of each stack. Found out once, by the constructor: in a
 * forked child, another thread may have held the loader's lock for ever. */
static size_t needed_stack_bytes(void)
{
    if (stack_bytes == 0) {
        size_t tls_bytes = 0;
        dl_iterate_phdr(add_tls, &tls_bytes);
        stack_bytes = affordable_stack_bytes() + tls_bytes;
    }
    return stack_bytes;
}

static int create_thread(pthread_t *thread, void *(*start_routine)(void *), void *argument)
{
    pthread_attr_t attributes;
    int error = pthread_attr_init(&attributes);
    if (error != 0)
        return -error;
    error = pthread_attr_setstacksize(&attributes, needed_stack_bytes());
    if (error == 0)
        error = real_pthread_create(thread, &attributes, start_routine, argument);
    if (error == EINVAL)
        error = real_pthread_create(thread, NULL, start_routine, argument);
    pthread_attr_destroy(&attributes);
    return -error;
}

/* Takes a place for a thread that is about to be made; NULL when there are too many to tell. */
static struct own_thread *take_place(void *(*start_routine)(void *), void *argument)
{
    for (size_t i = 0; i < OWN_THREADS_MOST; i++) {
        struct own_thread *own = &own_threads[i];
        if (atomic_exchange(&own->is_taken, true))
            continue;
        own->start_routine = start_routine;
        own->argument = argument;
        return own;
    }
    return NULL;
}

static void leave_place(struct own_thread *own)
{
    atomic_store(&own->tid, 0);
    atomic_store(&own->is_taken, false);
}

static void *run_own(void *argument)
{
    struct own_thread *own = argument;
    atomic_store(&own->tid, (int32_t)syscall(SYS_gettid));
    void *result = own->start_routine(own->argument);
    leave_place(own);
    return result;
}

bool own_thread_is(struct profd_thread_id thread)
{
    for (size_t i = 0; i < OWN_THREADS_MOST; i++)
        if (atomic_load(&own_threads[i].tid) == thread.number)
            return true;
    return false;
}

size_t own_thread_list(int32_t ids[OWN_THREADS_MOST])
{
    size_t count = 0;
    for (size_t i = 0; i < OWN_THREADS_MOST; i++) {
        int32_t tid = atomic_load(&own_threads[i].tid);
        if (tid != 0)
            ids[count++] = tid;
    }
    return count;
}

void own_thread_forget_all(void)
{
    for (size_t i = 0; i < OWN_THREADS_MOST; i++)
        leave_place(&own_threads[i]);
}

static int create_own(pthread_t *thread, void *(*start_routine)(void *), void *argument)
{
    struct own_thread *own = take_place(start_routine, argument);
    if (own == NULL)
        return create_thread(thread, start_routine, argument);
    int error = create_thread(thread, run_own, own);
    if (error < 0)
        leave_place(own);
    return error;
}

int own_thread_create(pthread_t *thread, void *(*start_routine)(void *), void *argument)
{
    sigset_t all, before;
    sigfillset(&all);
    int error = -real_pthread_sigmask(SIG_SETMASK, &all, &before);
    if (error < 0)
        return error;
    error = create_own(thread, start_routine, argument);
    (void)real_pthread_sigmask(SIG_SETMASK, &before, NULL); /* a mask that was valid */
    return error;
}

void own_thread_set_name(const char *name)
{
    (void)syscall(SYS_prctl, PR_SET_NAME, name, 0, 0, 0);
}

/* Closes all descriptors from FIRST to LAST. */
static void close_between(int first, int last)
{
    if (first <= last)
        (void)syscall(SYS_close_range, (unsigned)first, (unsigned)last, 0);
}

/* Empties the calling thread's copy of the table but for two numbers (-1: none). */
static bool own_descriptor_table(int low, int high)
{
    /* With a root of its own it finds profd and /proc after a chroot, too. And a program of one
     * thread, whose root nobody else shares, may enter another mount namespace. */
    (void)syscall(SYS_unshare, CLONE_FS);
    if (syscall(SYS_unshare, CLONE_FILES) < 0)
        return false;
    if (low > high) {
        int lower = high;
        high = low;
        low = lower;
    }
    /* Copies of the program's would keep its pipes and sockets from ever being closed. */
    close_between(0, low - 1);
    close_between(low + 1, high - 1);
    close_between(high + 1, INT_MAX);
    process_memory_allow_descriptors();
    return true;
}

bool own_thread_leave_descriptors(bool keeps_ours)
{
    return own_descriptor_table(keeps_ours ? descriptor_number(DESCRIPTOR_ARENA) : -1,
                                keeps_ours ? descriptor_number(DESCRIPTOR_SOCKET) : -1);
}

bool own_thread_leave_descriptors_but(int fd)
{
    return own_descriptor_table(-1, fd);
}
