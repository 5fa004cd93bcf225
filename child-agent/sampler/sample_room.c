#include "child-agent/sampler/sample_room.h"

#include <errno.h>
#include <signal.h>
#include <stdatomic.h>
#include <time.h>

#include "buffer/unforked_pages.h"
#include "child-agent/guest/address_space.h"
#include "child-agent/guest/real_calls.h"
#include "child-agent/sampler/run_on_stack.h"

enum {
    MOST_ROOMS = 8,        /* more than threads that are interrupted at the same moment */
    REMEMBERED_STACKS = 8, /* in each; more threads only take more room in the chunks */
    LEAVE_POLL_NS = 100 * 1000,
};

static struct {
    _Atomic bool are_open;
    struct chunk_manager *manager; /* borrowed */
    struct sample_room *at;        /* kept for the life of the process; NULL: never opened */
    unsigned count;
} rooms;

static __thread uint8_t last_room; /* of the calling thread */

static void close_room(struct sample_room *room)
{
    if (room->encoder == NULL)
        return;
    chunk_writer_finish(&room->writer);
    sample_encoder_destroy(room->encoder);
    room->encoder = NULL;
}

/* The first in this session to take ROOM makes it ready: most processes are too short for a sample,
 * and most others never need a second room. False without memory. */
static bool is_ready(struct sample_room *room)
{
    if (room->encoder != NULL)
        return true;
    chunk_writer_init_in_handler(&room->writer, rooms.manager, CHUNK_WRITER_SAMPLER);
    room->allocations.writer = &room->writer;
    room->allocations.chunk = NULL;
    return sample_encoder_create(&room->writer, REMEMBERED_STACKS, &room->encoder) == 0;
}

/* As many as there are addresses for, with the encoder of each; at least one. */
static unsigned affordable_rooms(void)
{
    const uint64_t bytes = sizeof(*rooms.at) + sample_encoder_bytes(REMEMBERED_STACKS);
    uint64_t count = address_space_within(ADDRESSES_ROOMS, MOST_ROOMS * bytes) / bytes;
    return count > 0 ? (unsigned)count : 1;
}

int sample_rooms_open(struct chunk_manager *manager)
{
    if (rooms.at == NULL) {
        rooms.count = affordable_rooms();
        rooms.at = unforked_pages_allocate(rooms.count * sizeof(*rooms.at));
    }
    if (rooms.at == NULL)
        return -ENOMEM;
    rooms.manager = manager;
    atomic_store(&rooms.are_open, true);
    return 0;
}

void sample_rooms_close(void)
{
    static const struct timespec pause = { .tv_nsec = LEAVE_POLL_NS };
    if (!atomic_exchange(&rooms.are_open, false))
        return;
    for (unsigned i = 0; i < rooms.count; i++) {
        while (atomic_load(&rooms.at[i].is_taken))
            (void)clock_nanosleep(CLOCK_MONOTONIC, 0, &pause, NULL);
        close_room(&rooms.at[i]);
    }
}

static void leave_room(struct sample_room *room)
{
    atomic_store_explicit(&room->is_taken, false, memory_order_release);
}

static bool is_had(struct sample_room *room)
{
    if (atomic_load_explicit(&room->is_taken, memory_order_relaxed) ||
        atomic_exchange(&room->is_taken, true))
        return false;
    /* Whoever closes the rooms sees that this one is taken, or we see that they are closed. */
    if (atomic_load(&rooms.are_open) && is_ready(room))
        return true;
    leave_room(room);
    return false;
}

void sample_rooms_prepare(void)
{
    sigset_t all, before;
    sigfillset(&all);
    (void)real_pthread_sigmask(SIG_SETMASK, &all, &before);
    for (unsigned i = 0; atomic_load(&rooms.are_open) && i < rooms.count; i++)
        if (is_had(&rooms.at[i]))
            leave_room(&rooms.at[i]);
    (void)real_pthread_sigmask(SIG_SETMASK, &before, NULL);
}

/* NULL when none is free, or all are closed. */
static struct sample_room *take_room(void)
{
    if (!atomic_load_explicit(&rooms.are_open, memory_order_acquire))
        return NULL;
    for (unsigned i = 0; i < rooms.count; i++) {
        uint8_t number = (uint8_t)((last_room + i) % rooms.count);
        if (is_had(&rooms.at[number])) {
            last_room = number;
            return &rooms.at[number];
        }
    }
    return NULL;
}

struct room_work {
    struct sample_room *room;
    sample_room_worker *work;
    void *argument;
};

static void do_work(void *context)
{
    const struct room_work *at = context;
    at->work(at->room, at->argument);
}

bool sample_room_work_in_handler(sample_room_worker *work, void *argument)
{
    struct room_work at = { .room = take_room(), .work = work, .argument = argument };
    if (at.room == NULL)
        return false;
    run_on_stack(at.room->stack + SAMPLE_ROOM_STACK_BYTES, do_work, &at);
    leave_room(at.room);
    return true;
}

bool sample_room_work(sample_room_worker *work, void *argument)
{
    sigset_t all, before;
    sigfillset(&all);
    (void)real_pthread_sigmask(SIG_SETMASK, &all, &before);
    bool is_done = sample_room_work_in_handler(work, argument);
    (void)real_pthread_sigmask(SIG_SETMASK, &before, NULL);
    return is_done;
}

void sample_rooms_after_fork_child(void)
{
    rooms.at = NULL; /* unforked pages */
    atomic_store(&rooms.are_open, false);
}
