#include "profctl/processed/thread_frames.h"

#include <errno.h>

#include "profctl/processed/native_frames.h"
#include "profctl/profile/frame_name.h"
#include "profctl/tables/thread_callers.h"

/* A stack of the thread at hand. */
struct thread_place {
    uint32_t frame;  /* of the thread */
    uint32_t prefix; /* a row */
    bool is_caller;
    bool is_raw; /* the thread's addresses have no names */
};

/* UNIQUE_NONE: FRAME tells no file. */
static uint32_t source_of(const struct profile_thread *thread, const struct table_frame *frame,
                          struct shared_tables *tables)
{
    size_t length;

    if (frame->file == TABLE_NONE)
        return UNIQUE_NONE;
    const char *file = thread_tables_string(thread->tables, frame->file, &length);
    return shared_tables_source(tables, file, length);
}

static uint32_t add_frame(const struct profile_thread *thread, uint32_t index, bool is_caller,
                          struct shared_tables *tables)
{
    const struct table_frame *old = thread_tables_frame(thread->tables, index);
    char buffer[FRAME_NAME_BYTES];
    struct function_name name;
    size_t length;
    const char *text =
        frame_name(thread->tables, thread->libraries, old->location, buffer, &length);
    struct shared_frame frame = {
        .flags = FRAME_HAS_CATEGORY | (old->line != 0 ? FRAME_HAS_LINE : 0) |
                 (old->is_inlined ? FRAME_IS_INLINED : 0),
        .category = old->category,
        .subcategory = old->subcategory,
        .line = old->line,
    };

    function_name_parse(text, length, &name);
    frame.function = shared_tables_function(tables, &name, source_of(thread, old, tables));
    struct native_address address;
    if (native_address_find(thread->tables, thread->libraries, old->location, &address)) {
        frame.flags |= FRAME_IS_NATIVE;
        frame.library = shared_tables_library(tables, address.library);
        frame.address = address.offset - (is_caller ? 1 : 0);
    }
    return shared_tables_frame(tables, &frame);
}

/* The row of a frame, which several stacks end in, found once. */
static uint32_t find_frame(struct thread_frames *frames, const struct profile_thread *thread,
                           uint32_t index, bool is_caller, struct shared_tables *tables)
{
    uint32_t *row = (uint32_t *)frames->frames.items + 2 * (size_t)index + (is_caller ? 1 : 0);

    if (*row == UNIQUE_NONE)
        *row = add_frame(thread, index, is_caller, tables);
    return *row;
}

static int make_room(struct thread_frames *frames, const struct thread_tables *tables)
{
    size_t rows = 2 * tables->frames.count;
    int error = mapped_array_reserve(&frames->frames, rows + 1, sizeof(uint32_t));

    if (error == 0)
        error = mapped_array_reserve(&frames->stacks, tables->stacks.count + 1, sizeof(uint32_t));
    for (size_t i = 0; error == 0 && i < rows; i++)
        ((uint32_t *)frames->frames.items)[i] = UNIQUE_NONE;
    return error == 0 ? thread_callers_mark(tables, &frames->is_caller) : error;
}

/* The row of a stack that is FRAME on PREFIX. */
static int push_stack(struct thread_frames *frames, const struct profile_thread *thread,
                      const struct thread_place *place, struct shared_tables *tables, uint32_t *row)
{
    const struct table_frame *frame = thread_tables_frame(thread->tables, place->frame);
    struct native_address address = { .is_caller = place->is_caller };

    if (place->is_raw &&
        native_address_find(thread->tables, thread->libraries, frame->location, &address)) {
        int is_named =
            native_frames_push(tables, frames->cache, &address, frame, place->prefix, row);
        frames->named += is_named > 0;
        if (is_named != 0)
            return is_named < 0 ? is_named : 0;
    }
    *row = shared_tables_stack(tables, place->prefix,
                               find_frame(frames, thread, place->frame, place->is_caller, tables));
    return 0;
}

int thread_frames_take(struct thread_frames *frames, const struct profile_thread *thread,
                       struct shared_tables *tables)
{
    bool is_raw = frames->cache != NULL && native_frames_are_raw(thread->tables);
    int error = make_room(frames, thread->tables);
    uint32_t *rows = frames->stacks.items;

    for (uint32_t i = 0; error == 0 && i < thread->tables->stacks.count; i++) {
        const struct table_stack *stack = thread_tables_stack(thread->tables, i);
        const struct thread_place place = {
            .frame = stack->frame,
            .prefix = stack->prefix != TABLE_NONE ? rows[stack->prefix] : UNIQUE_NONE,
            .is_caller = ((const bool *)frames->is_caller.items)[i],
            .is_raw = is_raw,
        };
        error = push_stack(frames, thread, &place, tables, &rows[i]);
    }
    return error < 0 ? error : shared_tables_error(tables);
}

uint32_t thread_frames_stack(const struct thread_frames *frames, uint32_t stack)
{
    return ((const uint32_t *)frames->stacks.items)[stack];
}

void thread_frames_free(struct thread_frames *frames)
{
    mapped_array_free(&frames->is_caller);
    mapped_array_free(&frames->frames);
    mapped_array_free(&frames->stacks);
}
