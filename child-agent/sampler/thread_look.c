#include "child-agent/sampler/thread_look.h"

#include <stdlib.h>
#include <string.h>

#include "buffer/clock.h"
#include "child-agent/guest/process_memory.h"
#include "child-agent/sampler/snapshot_capture.h"
#include "child-agent/threads/label_stack.h"

enum {
    TEXT_BYTES = 256,
    PAGE_BYTES = 4096,
};

/* A frame pointer that nobody could follow. */
static const uint64_t UNKNOWN_FRAME_POINTER = 1;

static bool parse_hexadecimal(const char *word, uint64_t *out)
{
    char *end;
    if (strncmp(word, "0x", 2) != 0)
        return false;
    *out = strtoull(word, &end, 16);
    return *end == '\0' && end != word + 2;
}

enum thread_look thread_look_parse(const char *text, size_t bytes, struct sleeping_place *out)
{
    struct sleeping_place found;
    char line[TEXT_BYTES];
    if (bytes == 0 || bytes >= sizeof(line))
        return THREAD_LOOK_NOTHING;
    memcpy(line, text, bytes);
    line[bytes] = '\0';
    line[strcspn(line, "\n")] = '\0';
    if (strcmp(line, "running") == 0)
        return THREAD_LOOK_RUNS;
    /* "-1 SP PC" outside of calls; or "NUMBER" and six arguments, SP, PC. */
    char *place = strrchr(line, ' ');
    if (place == NULL || !parse_hexadecimal(place + 1, &found.program_counter))
        return THREAD_LOOK_NOTHING;
    *place = '\0';
    place = strrchr(line, ' ');
    if (place == NULL || !parse_hexadecimal(place + 1, &found.stack_pointer) ||
        found.stack_pointer == 0) /* a thread that has ended, but not its process */
        return THREAD_LOOK_NOTHING;
    *out = found;
    return THREAD_LOOK_SLEEPS;
}

enum thread_look thread_look(struct look_files *files, struct profd_thread_id thread,
                             struct sleeping_place *out)
{
    char text[TEXT_BYTES];
    ssize_t got = look_files_read(files, thread, text, sizeof(text));
    return got > 0 ? thread_look_parse(text, (size_t)got, out) : THREAD_LOOK_NOTHING;
}

/* As much of the stack from START on as there is, and as fits. Of a stack that is not the thread's
 * own nobody knows the end: it is read up to the page that is not there. */
static size_t copy_stack(const struct thread_registration *thread, uint64_t start, uint8_t *out)
{
    bool is_own = start >= thread->stack_low && start < thread->stack_high;
    uint64_t end = is_own ? thread->stack_high : start + SNAPSHOT_FOREIGN_STACK_BYTES;
    size_t copied = 0;
    if (end - start > SNAPSHOT_STACK_BYTES)
        end = start + SNAPSHOT_STACK_BYTES;
    if (is_own && process_memory_read(start, out, end - start) == 0)
        return end - start;
    while (start + copied < end) {
        size_t count = PAGE_BYTES - (size_t)((start + copied) & (PAGE_BYTES - 1));
        if (count > end - start - copied)
            count = end - start - copied;
        if (process_memory_read(start + copied, out + copied, count) != 0)
            break;
        copied += count;
    }
    return copied;
}

/* Of a thread that has ended with its variables there are none. */
static void copy_labels(const struct thread_registration *thread, struct snapshot *snapshot)
{
    struct label_stack labels;
    uint64_t address = (uint64_t)(uintptr_t)thread->labels;
    if (label_stacks_are_used() && process_memory_read(address, &labels, sizeof(labels)) == 0)
        snapshot_copy_labels(snapshot, &labels);
}

void thread_look_copy(const struct thread_registration *thread, const struct sleeping_place *place,
                      struct snapshot_copy *copy)
{
    struct snapshot *snapshot = &copy->snapshot;
    memset(snapshot, 0, sizeof(*snapshot));
    snapshot->ticks = clock_ticks();
    snapshot->registers[REGISTER_RIP] = place->program_counter;
    snapshot->registers[REGISTER_RSP] = place->stack_pointer;
    snapshot->registers[REGISTER_RBP] = UNKNOWN_FRAME_POINTER;
    snapshot->stack = copy->stack;
    snapshot->stack_start = place->stack_pointer;
    snapshot->stack_bytes = copy_stack(thread, place->stack_pointer, copy->stack);
    snapshot->is_truncated = snapshot->stack_bytes == SNAPSHOT_STACK_BYTES;
    copy_labels(thread, snapshot);
}
