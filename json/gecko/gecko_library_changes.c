/* Which library was at an address when: the dictionary has each one's coming and going.
 *
 * Viewers know one list of libraries for a process, in which no two share an address. Where the
 * program has loaded one in place of another, all but the last get addresses that no program has.
 */
#include <errno.h>
#include <string.h>

#include "json/gecko/gecko_context.h"

/* Above all that a program can have, and below what a double cannot hold exactly. */
static const uint64_t FIRST_MOVED = UINT64_C(1) << 52;
enum {
    MOVED_ALIGNMENT = 64 * 1024,
    MOST_COMPARED = 8192, /* each with each: the latest ones */
};

static struct library *library_at(const struct process_context *process, size_t index)
{
    return (struct library *)process->libraries.items + index;
}

static struct library_change *change_at(const struct process_context *process, size_t index)
{
    return (struct library_change *)process->library_changes.items + index;
}

static bool is_same_text(const struct arena_string *a, const struct arena_string *b)
{
    return a->length == b->length && (a->length == 0 || memcmp(a->bytes, b->bytes, a->length) == 0);
}

static bool is_same(const struct library *a, const struct library *b)
{
    return a->start == b->start && a->end == b->end && a->load_bias == b->load_bias &&
           is_same_text(&a->path, &b->path) && is_same_text(&a->build_id, &b->build_id);
}

static bool has_address(const struct library *library, uint64_t address)
{
    return address >= library->start && address < library->end;
}

/* The index of LIBRARY, which is new or has been there before; the count: out of memory. */
static size_t library_index(struct process_context *process, const struct library *library)
{
    size_t index = 0, count = process->libraries.count;
    while (index < count && !is_same(library_at(process, index), library))
        index++;
    if (index < count)
        return index;
    struct library *added = mapped_array_push(&process->libraries, sizeof(*added));
    if (added != NULL)
        *added = *library;
    return index;
}

/* The index of the one at START that came last; the count: there is none. */
static size_t latest_at(const struct process_context *process, uint64_t start)
{
    for (size_t i = process->library_changes.count; i-- > 0;) {
        const struct library_change *change = change_at(process, i);
        if (!change->is_end && library_at(process, change->library)->start == start)
            return change->library;
    }
    return process->libraries.count;
}

static void add_change(struct process_context *process, size_t library, bool is_end,
                       uint64_t time_ns)
{
    size_t count = process->library_changes.count;
    struct library_change *change = mapped_array_push(&process->library_changes, sizeof(*change));
    if (change == NULL || library == process->libraries.count) {
        failure_latch_set(process->latch, -ENOMEM);
        return;
    }
    if (count > 0 && change_at(process, count - 1)->time_ns > time_ns)
        time_ns = change_at(process, count - 1)->time_ns;
    *change = (struct library_change){ time_ns, (uint32_t)library, is_end };
    library_at(process, library)->last_change = count;
}

void library_changes_take(struct process_context *process, const struct arena_record *record)
{
    const struct library library = {
        .start = record->start,
        .end = record->end,
        .load_bias = record->load_bias,
        .path = record->name,
        .build_id = record->extra,
    };
    bool is_end = record->kind == DICTIONARY_LIBRARY_END;
    size_t index = is_end ? latest_at(process, record->start) : library_index(process, &library);
    if (!is_end || index < process->libraries.count)
        add_change(process, index, is_end, record->time_ns);
}

static bool is_replaced(const struct process_context *process, const struct library *library,
                        size_t first)
{
    for (size_t i = first; i < process->libraries.count; i++) {
        const struct library *other = library_at(process, i);
        if (other->last_change > library->last_change && other->start < library->end &&
            library->start < other->end)
            return true;
    }
    return false;
}

static void note_shared(struct process_context *process, const struct library *library)
{
    if (process->shared_end == 0 || library->start < process->shared_start)
        process->shared_start = library->start;
    if (library->end > process->shared_end)
        process->shared_end = library->end;
}

void library_changes_complete(struct process_context *process)
{
    const size_t count = process->libraries.count;
    const size_t first = count > MOST_COMPARED ? count - MOST_COMPARED : 0;
    uint64_t next = FIRST_MOVED;
    for (size_t i = first; i < count; i++) {
        struct library *library = library_at(process, i);
        if (library->start >= library->end || library->end > FIRST_MOVED ||
            !is_replaced(process, library, first))
            continue;
        library->moved = next - library->start;
        next +=
            (library->end - library->start + MOVED_ALIGNMENT) & ~(uint64_t)(MOVED_ALIGNMENT - 1);
        note_shared(process, library);
    }
}

/* The epoch is the number of changes until then; it stays 0 if no two libraries shared an address.
 */
void library_changes_come_to(struct process_context *process, uint64_t time_ns)
{
    size_t low = 0, high = process->shared_end != 0 ? process->library_changes.count : 0;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (change_at(process, middle)->time_ns <= time_ns)
            low = middle + 1;
        else
            high = middle;
    }
    process->library_epoch = low;
}

/* The library that has ADDRESS now, or else the one that has it next: it may be told of a little
 * late. NULL: none. */
static struct library *find_at(const struct process_context *process, uint64_t address)
{
    for (size_t i = process->library_epoch; i-- > 0;) {
        const struct library_change *change = change_at(process, i);
        struct library *library = library_at(process, change->library);
        if (!has_address(library, address))
            continue;
        if (change->is_end)
            break;
        return library;
    }
    for (size_t i = process->library_epoch; i < process->library_changes.count; i++) {
        struct library *library = library_at(process, change_at(process, i)->library);
        if (has_address(library, address))
            return library;
    }
    return NULL;
}

uint64_t library_changes_place(const struct process_context *process, uint64_t address)
{
    if (address < process->shared_start || address >= process->shared_end)
        return address;
    struct library *library = find_at(process, address);
    if (library == NULL)
        return address;
    library->has_frames = true;
    return address + library->moved;
}
