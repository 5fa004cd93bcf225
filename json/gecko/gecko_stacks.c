/* Frames and stacks of a thread: each once, and what viewers show as the name of one. */
#include <string.h>

#include "json/gecko/gecko_context.h"
#include "json/gecko/gecko_meta.h"
#include "json/json_format.h"

enum { LOCATION_MAX_BYTES = 4096 };

static const char truncated_frame[] = "(stack truncated)";

static uint32_t add_frame(struct thread_context *thread, struct frame_key key, const char *location,
                          size_t length, const struct site *site)
{
    struct frame_details details = {
        .location = unique_strings_add(&thread->strings, location, length),
        .line = site != NULL ? site->line : 0,
        .category = site != NULL ? site->category.category : (uint32_t)CATEGORY_NATIVE,
        .subcategory = site != NULL ? site->category.subcategory : 0,
    };
    return unique_stacks_add_frame(&thread->stacks, key, &details);
}

static uint32_t add_native_frame(struct thread_context *thread, struct frame_key key)
{
    char location[JSON_SCALAR_MAX_BYTES];
    char *end = json_format_address(location, key.value);
    return add_frame(thread, key, location, (size_t)(end - location), NULL);
}

/* True when viewers would take the name of a label for an address, a function of a library or a
 * place in a script: "0x…", "… (in …)…", "…:7", "… (a.c:7)". */
static bool looks_like_code(const char *name, size_t length)
{
    if (length == 0 || memmem(name, length, " (in ", 5) != NULL)
        return true;
    char last = name[length - 1];
    bool ends_like_place = last == ')' || last == ']' || (last >= '0' && last <= '9');
    return (ends_like_place && memchr(name, ':', length) != NULL) ||
           (length >= 2 && memcmp(name, "0x", 2) == 0);
}

static char *append_bytes(char *out, char *end, const char *bytes, size_t length)
{
    size_t room = (size_t)(end - out);
    return mempcpy(out, bytes, length < room ? length : room);
}

/* "function (file:line:column)", which viewers take for a function of a script. */
static uint32_t add_language_frame(struct thread_context *thread, struct frame_key key,
                                   const struct site *site)
{
    char location[LOCATION_MAX_BYTES + 3 * JSON_SCALAR_MAX_BYTES];
    char *end = location + LOCATION_MAX_BYTES;
    char *out = append_bytes(location, end, site->name.bytes, site->name.length);
    if (site->file.length > 0) {
        out = append_bytes(stpcpy(out, " ("), end + 2, site->file.bytes, site->file.length);
        if (site->line != 0) {
            *out++ = ':';
            out = json_format_u64(out, site->line);
        }
        if (site->line != 0 && site->column != 0) {
            *out++ = ':';
            out = json_format_u64(out, site->column);
        }
        *out++ = ')';
    }
    return add_frame(thread, key, location, (size_t)(out - location), site);
}

/* A label's location is its name; spaces around it keep viewers from reading more into it. */
static uint32_t add_label_frame(const struct process_context *process,
                                struct thread_context *thread, struct frame_key key)
{
    static const char unknown[] = "(unknown label)";
    const struct site *site = process_site(process, (uint32_t)key.value);
    if (site == NULL || key.value > UINT32_MAX)
        return add_frame(thread, key, unknown, sizeof(unknown) - 1, NULL);
    if (site->is_frame)
        return add_language_frame(thread, key, site);
    const char *name = site->name.bytes;
    size_t length = site->name.length;
    if (!looks_like_code(name, length))
        return add_frame(thread, key, name, length, site);

    char location[LOCATION_MAX_BYTES + 2];
    if (length > LOCATION_MAX_BYTES)
        length = LOCATION_MAX_BYTES;
    location[0] = ' ';
    memcpy(location + 1, name, length);
    location[length + 1] = ' ';
    return add_frame(thread, key, location, length + 2, site);
}

static uint32_t frame_index(const struct process_context *process, struct thread_context *thread,
                            const struct stack_frame *frame)
{
    uint64_t value = frame->is_label ? frame->value : library_changes_place(process, frame->value);
    struct frame_key key = { .value = value, .is_label = frame->is_label };
    uint32_t index = unique_stacks_find_frame(&thread->stacks, key);
    if (index != UNIQUE_NONE)
        return index;
    return frame->is_label ? add_label_frame(process, thread, key) : add_native_frame(thread, key);
}

/* What outer frames that are missing are shown as: a root of their own. */
static uint32_t truncated_root(struct thread_context *thread)
{
    struct frame_key key = { .value = UINT64_MAX, .is_label = true };
    uint32_t frame = unique_stacks_find_frame(&thread->stacks, key);
    if (frame == UNIQUE_NONE)
        frame = add_frame(thread, key, truncated_frame, sizeof(truncated_frame) - 1, NULL);
    return unique_stacks_push(&thread->stacks, UNIQUE_NONE, frame);
}

uint32_t stacks_track(const struct process_context *process, struct thread_context *thread,
                      struct stack_tracker *tracker, uint32_t kept)
{
    uint32_t stack = UNIQUE_NONE;
    if (kept > 0)
        stack = tracker->stacks[kept - 1];
    else if (tracker->is_truncated)
        stack = truncated_root(thread);
    for (uint32_t i = kept; i < tracker->state.depth; i++) {
        uint32_t frame = frame_index(process, thread, &tracker->state.frames[i]);
        stack = unique_stacks_push(&thread->stacks, stack, frame);
        tracker->stacks[i] = stack;
    }
    return stack;
}

uint32_t stacks_add(const struct process_context *process, struct thread_context *thread,
                    uint32_t stack, const struct stack_frame *frames, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++)
        stack =
            unique_stacks_push(&thread->stacks, stack, frame_index(process, thread, &frames[i]));
    return stack;
}

uint32_t stacks_unique(const struct process_context *process, struct thread_context *thread,
                       const struct stack_state *stack, bool is_truncated)
{
    uint32_t root = is_truncated ? truncated_root(thread) : UNIQUE_NONE;
    return stacks_add(process, thread, root, stack->frames, stack->depth);
}
