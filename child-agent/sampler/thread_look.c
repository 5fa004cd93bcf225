#include "child-agent/sampler/thread_look.h"

#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "buffer/clock.h"
#include "child-agent/guest/process_memory.h"

enum {
    TEXT_BYTES = 256,
    PATH_BYTES = 64,
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

bool thread_look_parse(const char *text, size_t bytes, struct sleeping_place *out)
{
    char line[TEXT_BYTES];
    if (bytes == 0 || bytes >= sizeof(line))
        return false;
    memcpy(line, text, bytes);
    line[bytes] = '\0';
    line[strcspn(line, "\n")] = '\0';
    /* "running"; or "-1 SP PC" outside of calls; or "NUMBER" and six arguments, SP, PC. */
    char *place = strrchr(line, ' ');
    if (place == NULL || !parse_hexadecimal(place + 1, &out->program_counter))
        return false;
    *place = '\0';
    place = strrchr(line, ' ');
    return place != NULL && parse_hexadecimal(place + 1, &out->stack_pointer);
}

bool thread_look(struct profd_thread_id thread, struct sleeping_place *out)
{
    char path[PATH_BYTES], text[TEXT_BYTES];
    snprintf(path, sizeof(path), "/proc/self/task/%" PRIi32 "/syscall", thread.number);
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        return false;
    ssize_t got = read(fd, text, sizeof(text));
    close(fd);
    return got > 0 && thread_look_parse(text, (size_t)got, out);
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
}
