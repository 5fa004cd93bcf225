#include "child-agent/threads/thread_spy.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "buffer/clock.h"
#include "buffer/unforked_pages.h"
#include "child-agent/core.h"
#include "child-agent/guest/cpu_clock.h"
#include "child-agent/guest/own_thread.h"
#include "child-agent/threads/thread_registry.h"
#include "common/time_units.h"

enum {
    SPY_MOST_THREADS = 1024, /* that are known at a time; more are counted as too many */
    SPY_SET_SLOTS = 4 * REGISTRY_MAX_THREADS,
    SPY_NAME_BYTES = 16, /* as the kernel keeps them */
    SPY_LISTING_BYTES = 32 * 1024,
};

struct spied_thread {
    struct profd_thread_id id; /* 0: free */
    uint32_t look;             /* the latest at which it was there */
    bool is_told;
    uint64_t cpu_ns;
    uint64_t ticks; /* when cpu_ns was read */
    char name[SPY_NAME_BYTES];
};

struct thread_spy {
    uint64_t next_look_ns;
    bool has_run;
    uint32_t look; /* counts looks */
    struct spied_thread threads[SPY_MOST_THREADS];
    /* Ids of registered threads, by hash; 0: free. */
    int32_t registered[SPY_SET_SLOTS];
    _Alignas(8) char listing[SPY_LISTING_BYTES];
};

int thread_spy_create(struct thread_spy **out)
{
    struct thread_spy *spy = unforked_pages_allocate(sizeof(*spy));
    if (spy == NULL)
        return -ENOMEM;
    spy->has_run = true;
    *out = spy;
    return 0;
}

void thread_spy_destroy(struct thread_spy *spy)
{
    unforked_pages_free(spy, sizeof(*spy));
}

bool thread_spy_is_due(struct thread_spy *spy, uint64_t now_ns, bool has_run)
{
    spy->has_run = spy->has_run || has_run;
    return spy->has_run && now_ns >= spy->next_look_ns;
}

/* --- Who is registered --- */

static uint32_t slot_of(int32_t tid)
{
    return (uint32_t)tid * 2654435761u % SPY_SET_SLOTS;
}

static void add_registered(void *context, struct profd_thread_id thread)
{
    struct thread_spy *spy = context;
    uint32_t slot = slot_of(thread.number);
    while (spy->registered[slot] != 0)
        slot = (slot + 1) % SPY_SET_SLOTS;
    spy->registered[slot] = thread.number;
}

/* The set has room for four times as many as there may be, so it always has an end. */
static bool is_registered(const struct thread_spy *spy, struct profd_thread_id thread)
{
    uint32_t slot = slot_of(thread.number);
    while (spy->registered[slot] != 0 && spy->registered[slot] != thread.number)
        slot = (slot + 1) % SPY_SET_SLOTS;
    return spy->registered[slot] != 0;
}

/* --- What is found --- */

static struct spied_thread *find_thread(struct thread_spy *spy, struct profd_thread_id thread)
{
    for (size_t i = 0; i < SPY_MOST_THREADS; i++)
        if (spy->threads[i].id.number == thread.number)
            return &spy->threads[i];
    return NULL;
}

static void read_name(struct profd_thread_id thread, char name[SPY_NAME_BYTES])
{
    char path[64];
    snprintf(path, sizeof(path), "/proc/self/task/%d/comm", thread.number);
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    ssize_t length = fd < 0 ? -1 : read(fd, name, SPY_NAME_BYTES - 1);
    name[length > 0 ? length : 0] = '\0';
    name[strcspn(name, "\n")] = '\0';
    if (fd >= 0)
        close(fd);
}

static void write_thread(struct sample_encoder *encoder, const struct spied_thread *spied,
                         enum unregistered_state state, uint64_t cpu_us, uint64_t period_ticks)
{
    const struct unregistered_entry entry = {
        .state = state,
        .tid = (uint32_t)spied->id.number,
        .period_ticks = period_ticks,
        .cpu_us = cpu_us,
        .name = { spied->name, strlen(spied->name) },
    };
    /* One that finds no chunk is counted by the writer. */
    (void)sample_encoder_unregistered(encoder, &entry, clock_ticks());
}

static void add_thread(struct thread_spy *spy, struct profd_thread_id thread)
{
    struct spied_thread *spied = find_thread(spy, (struct profd_thread_id){ 0 });
    if (spied == NULL) {
        arena_count_drop(&core.arena, DROP_TOO_MANY_THREADS, 1);
        return;
    }
    *spied = (struct spied_thread){ .id = thread,
                                    .look = spy->look,
                                    .cpu_ns = clock_read_ns(cpu_clock_of_thread(thread)),
                                    .ticks = clock_ticks() };
}

static void update_spied_thread(struct thread_spy *spy, struct sample_encoder *encoder,
                                struct spied_thread *spied)
{
    uint64_t cpu_ns = clock_read_ns(cpu_clock_of_thread(spied->id));
    uint64_t ticks = clock_ticks();
    spied->look = spy->look;
    if (!spied->is_told) {
        read_name(spied->id, spied->name);
        write_thread(encoder, spied, UNREGISTERED_FOUND, 0, 0);
        spied->is_told = true;
    }
    if (cpu_ns <= spied->cpu_ns)
        return;
    write_thread(encoder, spied, UNREGISTERED_RAN, (cpu_ns - spied->cpu_ns) / NS_PER_US,
                 ticks - spied->ticks);
    spied->cpu_ns = cpu_ns;
    spied->ticks = ticks;
}

static void examine_thread(struct thread_spy *spy, struct sample_encoder *encoder,
                           struct profd_thread_id thread)
{
    if (is_registered(spy, thread) || own_thread_is(thread))
        return;
    struct spied_thread *spied = find_thread(spy, thread);
    if (spied == NULL)
        add_thread(spy, thread);
    else
        update_spied_thread(spy, encoder, spied);
}

/* Those who were not there: ended, or registered by now. */
static void forget_the_gone(struct thread_spy *spy, struct sample_encoder *encoder)
{
    for (size_t i = 0; i < SPY_MOST_THREADS; i++) {
        struct spied_thread *spied = &spy->threads[i];
        if (spied->id.number == 0 || spied->look == spy->look)
            continue;
        if (spied->is_told)
            write_thread(encoder, spied, UNREGISTERED_GONE, 0, 0);
        spied->id.number = 0;
    }
}

/* --- The kernel's list --- */

/* The id that a file of /proc/self/task is named after; 0: none. */
static int32_t id_of(const char *name)
{
    int32_t number = 0;
    for (; *name >= '0' && *name <= '9' && number < INT32_MAX / 10; name++)
        number = number * 10 + (*name - '0');
    return *name == '\0' ? number : 0;
}

static void see_listed(struct thread_spy *spy, struct sample_encoder *encoder, size_t bytes)
{
    for (size_t at = 0; at < bytes;) {
        const struct dirent64 *entry = (const struct dirent64 *)(spy->listing + at);
        struct profd_thread_id thread = { id_of(entry->d_name) };
        if (thread.number != 0)
            examine_thread(spy, encoder, thread);
        at += entry->d_reclen;
    }
}

/* False when the list could not be read to its end. */
static bool see_all(struct thread_spy *spy, struct sample_encoder *encoder)
{
    long got = -1;
    int fd = open("/proc/self/task", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (fd < 0)
        return false;
    while ((got = syscall(SYS_getdents64, fd, spy->listing, sizeof(spy->listing))) > 0)
        see_listed(spy, encoder, (size_t)got);
    close(fd);
    return got == 0;
}

void thread_spy_look(struct thread_spy *spy, struct sample_encoder *encoder)
{
    uint64_t start_ns = clock_read_ns(CLOCK_THREAD_CPUTIME_ID);
    spy->has_run = false;
    spy->look++;
    memset(spy->registered, 0, sizeof(spy->registered));
    thread_registry_visit_ids(add_registered, spy);
    if (see_all(spy, encoder))
        forget_the_gone(spy, encoder);
    uint64_t cost_ns = clock_read_ns(CLOCK_THREAD_CPUTIME_ID) - start_ns;
    spy->next_look_ns = thread_spy_next_look_ns(clock_monotonic_ns(), cost_ns);
}
