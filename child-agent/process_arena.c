#include "child-agent/process_arena.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <unistd.h>

#include "child-agent/agent_lease.h"
#include "child-agent/core.h"
#include "child-agent/counters/counters.h"
#include "child-agent/groups/group_registry.h"
#include "child-agent/guest/address_space.h"
#include "child-agent/guest/descriptor.h"
#include "child-agent/process_title.h"
#include "child-agent/threads/thread_registry.h"
#include "child-agent/upcalls.h"
#include "profd.h"

enum {
    /* Room, not use: chunks that were never written cost no memory. */
    ARENA_USUAL_CHUNK_BYTES = 64 * 1024 * 1024,
    ARENA_LEAST_CHUNK_BYTES = 4 * 1024 * 1024, /* unless the process may have few addresses */
    ARENA_MOST_CHUNK_BYTES = 1024 * 1024 * 1024,
    MAX_NAME_BYTES = 128,
};

static char process_name[MAX_NAME_BYTES];
static const char *labels; /* ARENA_LABELS_BYTES; NULL: nobody has set them */
static uint32_t labels_left_out;
static uint64_t room_bytes = ARENA_USUAL_CHUNK_BYTES;

void process_arena_set_name(const char *name)
{
    upcall_end_dormancy();
    snprintf(process_name, sizeof(process_name), "%s", name);
    process_title_choose(name);
    if (core_local.has_arena && !core_is_forking)
        (void)dictionary_put_process_name(&core.dictionary, clock_monotonic_ns(), process_name);
}

void process_arena_set_labels(const char text[ARENA_LABELS_BYTES], uint32_t left_out)
{
    labels = text;
    labels_left_out = left_out;
}

void profd_set_process_name(const char *name)
{
    if (!core.is_enabled)
        return;
    process_arena_set_name(name != NULL ? name : "");
}

static int describe_process(void)
{
    size_t command_line_bytes;
    const char *command_line = core_command_line(&command_line_bytes);
    int error = dictionary_put_process(&core.dictionary, getpid(), getppid(), core.start_ns,
                                       core_executable(), command_line, command_line_bytes);
    if (error == 0)
        error = dictionary_put_user(&core.dictionary, geteuid());
    return error;
}

void process_arena_set_room(uint64_t chunk_bytes)
{
    room_bytes = chunk_bytes;
}

/* Room for all that the limit could ever give to this process, unless it may not have so many
 * addresses. */
static int create_arena(void)
{
    struct lease_ledger *ledger;
    int error = address_space_is_enough() ? agent_lease_get(&ledger) : -ENOMEM;
    if (error < 0)
        return error;
    uint64_t capacity = ledger != NULL ? lease_ledger_limit_bytes(ledger) : room_bytes;
    if (capacity > ARENA_MOST_CHUNK_BYTES)
        capacity = ARENA_MOST_CHUNK_BYTES;
    struct arena_room room = {
        .chunk_bytes = address_space_within(ADDRESSES_CHUNKS, capacity),
        .dictionary_bytes =
            (uint32_t)address_space_within(ADDRESSES_DICTIONARY, ARENA_DICTIONARY_BYTES),
        .group_bytes = (uint32_t)address_space_within(ADDRESSES_GROUPS, GROUP_TABLE_BYTES),
    };
    do {
        error = arena_create_leased(&room, ledger, agent_lease_owner(), &core.arena);
        room.chunk_bytes /= 2;
    } while (error == -ENOMEM && room.chunk_bytes >= ARENA_LEAST_CHUNK_BYTES);
    return error;
}

/* The arena is there for others once it has its records. Who comes meanwhile waits, and adds its
 * own. */
static int write_records(void)
{
    sigset_t mask;
    struct registry_access access = thread_registry_hold();
    counters_hold(&mask);
    int error = describe_process();
    if (error == 0)
        error = counters_describe();
    if (error == 0)
        error = thread_registry_describe(access);
    core_local.has_arena = error == 0;
    counters_release(&mask);
    thread_registry_release(access);
    return error;
}

/* An arena that nobody else has seen. */
static void give_back_arena(void)
{
    descriptor_close(DESCRIPTOR_ARENA);
    arena_discard(&core.arena);
}

static void keep_descriptor(void)
{
    int high = descriptor_move_high(core.arena.fd);
    if (high >= 0)
        core.arena.fd = high;
    descriptor_remember(DESCRIPTOR_ARENA, core.arena.fd);
}

int process_arena_renew(void)
{
    if (descriptor_is_ours(DESCRIPTOR_ARENA))
        return 0;
    bool held = group_registry_hold();
    int error = arena_replace_file(&core.arena);
    group_registry_release(held);
    if (error == 0)
        keep_descriptor();
    return error;
}

int process_arena_make(void)
{
    if (core_local.has_arena)
        return 0;
    int error = create_arena();
    if (error < 0)
        return error;
    keep_descriptor();
    core.arena.header->process_start_ns = core.start_ns;
    dictionary_init(&core.dictionary, &core.arena);
    error = write_records();
    if (error < 0) {
        give_back_arena();
        return error;
    }
    atomic_store(&core.arena.header->live_threads, thread_registry_live_count());
    if (labels != NULL)
        memcpy(core.arena.header->labels, labels, ARENA_LABELS_BYTES);
    core.arena.header->labels_left_out = labels_left_out;
    process_title_follow();
    if (process_name[0] != '\0') /* counted when full */
        (void)dictionary_put_process_name(&core.dictionary, core.start_ns, process_name);
    return 0;
}

int process_arena_lease(void)
{
    struct lease_ledger *ledger;
    int error = agent_lease_get(&ledger);
    if (error < 0 || ledger == NULL || ledger == core.arena.lease.ledger)
        return error;
    return dictionary_move_lease(&core.dictionary, ledger);
}

void process_arena_after_fork_child(void)
{
    descriptor_close(DESCRIPTOR_ARENA);
    core_reset_after_fork();
    process_title_after_fork_child();
}
