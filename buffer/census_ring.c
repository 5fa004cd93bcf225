#include "buffer/census_ring.h"

#include <string.h>

#include "buffer/process_clock.h"

/* Reserves the number of an entry, from 0; false when MOST are unread. */
static bool reserve_position(struct census_ring *ring, uint64_t most, uint64_t *position)
{
    *position = atomic_load(&ring->put);
    do {
        if (*position - atomic_load(&ring->taken) >= most)
            return false;
    } while (!atomic_compare_exchange_weak(&ring->put, position, *position + 1));
    return true;
}

static void write_entry(struct census_ring *ring, uint64_t position,
                        const struct census_entry *entry)
{
    struct census_entry *slot = &ring->entries[position % CENSUS_RING_ENTRIES];
    slot->time_ns = entry->time_ns;
    slot->cpu_ns = entry->cpu_ns;
    slot->pid = entry->pid;
    slot->parent_pid = entry->parent_pid;
    if (entry->kind == CENSUS_ENDED)
        slot->wait_status = entry->wait_status;
    else
        slot->generation = entry->generation;
    slot->kind = entry->kind;
    slot->obstacle = entry->obstacle;
    slot->is_fork = entry->is_fork;
    memcpy(slot->path, entry->path, sizeof(slot->path));
    atomic_store_explicit(&slot->number, position + 1, memory_order_release);
}

void census_ring_count_lost(struct census_ring *ring)
{
    atomic_fetch_add(&ring->lost, 1);
}

void census_ring_put(struct census_ring *ring, const struct census_entry *entry)
{
    uint64_t position;

    if (reserve_position(ring, CENSUS_RING_ENTRIES, &position))
        write_entry(ring, position, entry);
    else
        census_ring_count_lost(ring);
}

bool census_ring_put_if_roomy(struct census_ring *ring, const struct census_entry *entry)
{
    uint64_t position;

    if (!reserve_position(ring, CENSUS_RING_ENTRIES / 2, &position))
        return false;
    write_entry(ring, position, entry);
    return true;
}

void census_ring_set_path(struct census_entry *entry, const char *path)
{
    size_t length = strlen(path);

    if (length >= sizeof(entry->path)) {
        path += length - (sizeof(entry->path) - 1);
        length = sizeof(entry->path) - 1;
    }
    memset(entry->path, 0, sizeof(entry->path));
    memcpy(entry->path, path, length);
}

void census_ring_set_command_line(struct census_entry *entry, const char *command_line,
                                  size_t bytes)
{
    size_t used = strlen(entry->path) + 1, room = sizeof(entry->path) - used;

    /* A part of the first argument would be taken for another one. */
    if (strnlen(command_line, bytes) < room)
        memcpy(entry->path + used, command_line, bytes < room ? bytes : room);
}

const char *census_ring_command_line(const struct census_entry *entry, size_t *bytes)
{
    const char *command_line = entry->path + strlen(entry->path) + 1;
    const char *end = entry->path + sizeof(entry->path);

    while (end > command_line && end[-1] == '\0')
        end--;
    *bytes = (size_t)(end - command_line);
    return command_line;
}

/* The entry at POSITION, if it is whole and stays so while it is copied. */
static bool copy_entry(const struct census_ring *ring, uint64_t position, struct census_entry *out)
{
    const struct census_entry *slot = &ring->entries[position % CENSUS_RING_ENTRIES];

    if (atomic_load_explicit(&slot->number, memory_order_acquire) != position + 1)
        return false;
    memcpy(out, slot, sizeof(*out));
    if (memchr(out->path, '\0', sizeof(out->path)) == NULL)
        out->path[sizeof(out->path) - 1] = '\0';
    atomic_thread_fence(memory_order_acquire);
    return atomic_load_explicit(&slot->number, memory_order_relaxed) == position + 1;
}

/* Whether ENTRY, which has the pid of WHOM, says what became of an exec of that process. Only
 * foreign ones have pids below 0. */
static bool is_about_exec(const struct census_entry *entry, const struct census_entry *whom)
{
    return entry->kind == CENSUS_EXEC || entry->kind == CENSUS_FAILED ||
           (entry->kind == CENSUS_FOREIGN_EXEC && entry->parent_pid == whom->parent_pid);
}

static uint64_t clock_at_exec(const struct census_ring *ring, const struct census_entry *whom,
                              bool *is_awaited)
{
    enum { NEWEST = 64 };
    struct census_entry entry;
    uint64_t put = atomic_load(&ring->put);

    *is_awaited = false;
    for (uint64_t back = 1; back <= NEWEST && back <= put; back++) {
        uint64_t position = put - back;
        bool may_be = ring->entries[position % CENSUS_RING_ENTRIES].pid == whom->pid;
        if (!may_be || !copy_entry(ring, position, &entry) || !is_about_exec(&entry, whom))
            continue;
        *is_awaited = entry.kind == CENSUS_EXEC && entry.is_awaited != 0;
        return entry.kind == CENSUS_FAILED ? PROCESS_CLOCK_UNKNOWN : entry.cpu_ns;
    }
    return PROCESS_CLOCK_UNKNOWN;
}

uint64_t census_ring_clock_at_exec(const struct census_ring *ring, int32_t pid, bool *is_awaited)
{
    const struct census_entry whom = { .pid = pid };

    return clock_at_exec(ring, &whom, is_awaited);
}

struct census_entry census_ring_foreign_exec(int32_t pid, uint64_t pid_namespace, uint64_t cpu_ns)
{
    return (struct census_entry){ .kind = CENSUS_FOREIGN_EXEC,
                                  .pid = -pid,
                                  .parent_pid = (int32_t)(uint32_t)pid_namespace,
                                  .cpu_ns = cpu_ns };
}

uint64_t census_ring_clock_at_foreign_exec(const struct census_ring *ring, int32_t pid,
                                           uint64_t pid_namespace)
{
    const struct census_entry whom = census_ring_foreign_exec(pid, pid_namespace, 0);
    bool is_awaited; /* profd is not told of those */

    return clock_at_exec(ring, &whom, &is_awaited);
}

size_t census_ring_recall(const struct census_ring *ring, struct census_entry *out)
{
    uint64_t taken = atomic_load(&ring->taken);
    uint64_t position = taken > CENSUS_RING_ENTRIES ? taken - CENSUS_RING_ENTRIES : 0;
    size_t count = 0;

    for (; position < taken; position++)
        count += copy_entry(ring, position, &out[count]) ? 1 : 0;
    return count;
}

/* The number of the oldest entry, from 0; false when there is none. What makes no sense is put
 * right. */
static bool find_oldest(struct census_ring *ring, uint64_t *position)
{
    uint64_t put = atomic_load(&ring->put);

    *position = atomic_load(&ring->taken);
    if (put - *position > CENSUS_RING_ENTRIES) {
        atomic_store(&ring->taken, put);
        census_ring_count_lost(ring);
        return false;
    }
    return put != *position;
}

bool census_ring_take(struct census_ring *ring, struct census_entry *out)
{
    uint64_t position;

    if (!find_oldest(ring, &position) || !copy_entry(ring, position, out))
        return false;
    atomic_store(&ring->taken, position + 1);
    return true;
}

uint64_t census_ring_unfinished(const struct census_ring *ring)
{
    uint64_t position = atomic_load(&ring->taken);
    const struct census_entry *slot = &ring->entries[position % CENSUS_RING_ENTRIES];

    bool is_unfinished = atomic_load(&ring->put) != position &&
                         atomic_load_explicit(&slot->number, memory_order_acquire) != position + 1;
    return is_unfinished ? position + 1 : 0;
}

void census_ring_skip(struct census_ring *ring)
{
    atomic_fetch_add(&ring->taken, 1);
    census_ring_count_lost(ring);
}

uint64_t census_ring_take_lost(struct census_ring *ring)
{
    return atomic_exchange(&ring->lost, 0);
}
