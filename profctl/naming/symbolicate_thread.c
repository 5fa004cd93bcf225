#include "profctl/naming/symbolicate_thread.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "profctl/naming/thread_name.h"
#include "profctl/tables/thread_callers.h"

/* --- Which strings and frames are addresses --- */

static bool frame_address(const struct thread_tables *tables, uint32_t frame, uint64_t *address)
{
    return thread_tables_address(tables, thread_tables_frame(tables, frame)->location, address);
}

/* --- Strings --- */

static bool *mark_locations(const struct thread_tables *tables)
{
    bool *marks = calloc(tables->strings.count + 1, sizeof(*marks));

    for (uint32_t i = 0; marks != NULL && i < tables->frames.count; i++) {
        uint64_t address;

        if (frame_address(tables, i, &address))
            marks[thread_tables_frame(tables, i)->location] = true;
    }
    return marks;
}

/* Takes over all strings but the addresses of frames, which stay only where they get no name. */
static int copy_strings(const struct thread_tables *tables, struct symbolicated_thread *out)
{
    uint32_t *map;
    bool *is_address;

    if (mapped_array_reserve(&out->string_map, tables->strings.count + 1, sizeof(*map)) < 0)
        return -ENOMEM;
    is_address = mark_locations(tables);
    if (is_address == NULL)
        return -ENOMEM;
    map = out->string_map.items;
    out->string_map.count = tables->strings.count;
    for (uint32_t i = 0; i < tables->strings.count; i++) {
        size_t length;
        const char *text = thread_tables_string(tables, i, &length);

        map[i] = is_address[i] ? UNIQUE_NONE : unique_strings_add(&out->strings, text, length);
    }
    free(is_address);
    return failure_latch_error(&out->latch);
}

/* --- Frames --- */

static uint32_t find_or_add_frame(struct unique_stacks *stacks, struct frame_key key,
                                  const struct frame_details *details)
{
    uint32_t frame = unique_stacks_find_frame(stacks, key);

    return frame != UNIQUE_NONE ? frame : unique_stacks_add_frame(stacks, key, details);
}

/* A frame that is native, in the category of FRAME: known by all that DETAILS tells beside that. */
static uint32_t add_native(struct symbolicated_thread *out, const struct table_frame *frame,
                           struct frame_details details)
{
    const uint32_t place[] = { details.location, details.line, details.file, details.tier,
                               details.is_inlined };
    struct frame_key key = { .value = unique_strings_add(&out->places, (const char *)place,
                                                         sizeof(place)) };

    details.category = frame->category;
    details.subcategory = frame->subcategory;
    return find_or_add_frame(&out->stacks, key, &details);
}

/* A frame that is not native, as it was: known by its old index. */
static uint32_t add_label(struct symbolicated_thread *out, const struct thread_tables *tables,
                          uint32_t old)
{
    const struct table_frame *frame = thread_tables_frame(tables, old);
    struct frame_key key = { .value = old, .is_label = true };
    const struct frame_details details = {
        .location = symbolicated_string(out, frame->location),
        .line = frame->line,
        .category = frame->category,
        .subcategory = frame->subcategory,
        .file = frame->file != TABLE_NONE ? symbolicated_string(out, frame->file) + 1 : 0,
        .tier = frame->tier != TABLE_NONE ? symbolicated_string(out, frame->tier) + 1 : 0,
        .is_inlined = frame->is_inlined,
    };

    return find_or_add_frame(&out->stacks, key, &details);
}

/* What the address of frame OLD is in SOURCE; no frames where that is not known. */
static int find_names(const struct symbol_source *source, uint64_t address, bool is_caller,
                      struct process_library **library, struct symbol_frames *names)
{
    int error;

    *names = (struct symbol_frames){ 0 };
    *library = process_libraries_find(source->libraries, address);
    if (source->cache == NULL || *library == NULL)
        return 0;
    if ((*library)->symbols == NULL) {
        error = symbol_cache_find(source->cache, (*library)->name, (*library)->path,
                                  (*library)->build_id, source->pid, &(*library)->symbols);
        if (error < 0)
            return error;
    }
    return symbol_library_resolve((*library)->symbols,
                                  address - (*library)->load_bias - (is_caller ? 1 : 0), names);
}

/* An address without a name stays one, which the viewer finds a library for: that of its function's
 * start, when that much is known, so that the function is one in the viewer. Generated code, which
 * is in no library, is said to be so. */
static uint32_t push_unnamed(struct symbolicated_thread *out, uint64_t address, bool in_library,
                             uint32_t prefix, const struct table_frame *frame)
{
    char text[48];
    int length = snprintf(text, sizeof(text), "%s0x%llx", in_library ? "" : "unmapped ",
                          (unsigned long long)address);
    uint32_t location = unique_strings_add(&out->strings, text, (size_t)length);

    ((uint32_t *)out->string_map.items)[frame->location] = location;
    out->unnamed++;
    return unique_stacks_push(
        &out->stacks, prefix,
        add_native(out, frame, (struct frame_details){ .location = location }));
}

/* Index and 1 of a string; 0: TEXT is NULL. */
static uint32_t add_text(struct symbolicated_thread *out, const char *text)
{
    return text != NULL ? unique_strings_add(&out->strings, text, strlen(text)) + 1 : 0;
}

static uint32_t push_named(struct symbolicated_thread *out, const struct symbol_library *library,
                           const struct symbol_frames *names, uint32_t prefix,
                           const struct table_frame *frame)
{
    for (size_t i = 0; i < names->count; i++) {
        size_t length;
        const char *text = symbol_library_location(library, names->frames[i].location, &length);
        uint32_t location = unique_strings_add(&out->strings, text, length);

        ((uint32_t *)out->string_map.items)[frame->location] = location;
        const struct frame_details details = { .location = location,
                                               .line = names->frames[i].line,
                                               .file = add_text(out, names->frames[i].file),
                                               .is_inlined = i > 0 };
        prefix = unique_stacks_push(&out->stacks, prefix, add_native(out, frame, details));
    }
    out->named++;
    return prefix;
}

static uint32_t push_generated(struct symbolicated_thread *out, const struct jit_function *function,
                               uint32_t prefix, const struct table_frame *frame)
{
    uint32_t location = unique_strings_add(&out->strings, function->location, function->length);
    const struct frame_details details = { .location = location,
                                           .tier = add_text(out, function->tier) };

    ((uint32_t *)out->string_map.items)[frame->location] = location;
    out->named++;
    return unique_stacks_push(&out->stacks, prefix, add_native(out, frame, details));
}

/* Pushes the frame of an address that is in no library. */
static int push_outside(struct symbolicated_thread *out, const struct symbol_source *source,
                        uint64_t address, bool is_caller, uint32_t prefix,
                        const struct table_frame *frame, uint32_t *pushed)
{
    struct jit_function function;
    int error;

    *pushed = jit_process_find(source->generated, address - (is_caller ? 1 : 0), &function, &error)
                  ? push_generated(out, &function, prefix, frame)
                  : push_unnamed(out, address, false, prefix, frame);
    return error;
}

static void note_start(struct symbolicated_thread *out, const struct symbol_library *library,
                       const struct symbol_frames *names)
{
    size_t length;
    const char *text = symbol_library_location(library, names->frames[0].location, &length);

    if (out->purpose == NULL)
        out->purpose = thread_name_of_start(text, length);
}

/* Puts old stack OLD on the new PREFIX. */
static int push_stack(struct symbolicated_thread *out, const struct thread_tables *tables,
                      const struct symbol_source *source, uint32_t old, bool is_caller,
                      uint32_t prefix)
{
    const struct table_stack *stack = thread_tables_stack(tables, old);
    const struct table_frame *frame = thread_tables_frame(tables, stack->frame);
    uint32_t *map = out->stack_map.items;
    struct process_library *library;
    struct symbol_frames names;
    uint64_t address, function;
    int error;

    if (!frame_address(tables, stack->frame, &address)) {
        map[old] = unique_stacks_push(&out->stacks, prefix, add_label(out, tables, stack->frame));
        return failure_latch_error(&out->latch);
    }
    error = find_names(source, address, is_caller, &library, &names);
    if (error < 0)
        return error;
    if (library == NULL && source->cache != NULL) {
        error = push_outside(out, source, address, is_caller, prefix, frame, &map[old]);
        return error < 0 ? error : failure_latch_error(&out->latch);
    }
    if (stack->prefix == TABLE_NONE && names.count > 0)
        note_start(out, library->symbols, &names);
    function = address;
    if (names.start != 0)
        function = library->load_bias + names.start;
    map[old] = names.count > 0 ? push_named(out, library->symbols, &names, prefix, frame)
                               : push_unnamed(out, function, true, prefix, frame);
    return failure_latch_error(&out->latch);
}

/* --- All of it --- */

int symbolicate_thread(const struct thread_tables *tables, const struct symbol_source *source,
                       struct symbolicated_thread *out)
{
    struct mapped_array is_caller = { 0 };
    int error;

    *out = (struct symbolicated_thread){ 0 };
    failure_latch_init(&out->latch);
    unique_strings_init(&out->strings, &out->latch);
    unique_stacks_init(&out->stacks, &out->latch);
    unique_strings_init(&out->places, &out->latch);
    error = copy_strings(tables, out);
    if (error == 0)
        error = mapped_array_reserve(&out->stack_map, tables->stacks.count + 1, sizeof(uint32_t));
    out->stack_map.count = error == 0 ? tables->stacks.count : 0;
    if (error == 0)
        error = thread_callers_mark(tables, &is_caller);
    for (uint32_t i = 0; error == 0 && i < tables->stacks.count; i++) {
        uint32_t old_prefix = thread_tables_stack(tables, i)->prefix;
        uint32_t prefix =
            old_prefix != TABLE_NONE ? symbolicated_stack(out, old_prefix) : UNIQUE_NONE;

        error = push_stack(out, tables, source, i, ((bool *)is_caller.items)[i], prefix);
    }
    mapped_array_free(&is_caller);
    return error;
}

void symbolicated_thread_free(struct symbolicated_thread *thread)
{
    mapped_array_free(&thread->stack_map);
    mapped_array_free(&thread->string_map);
    unique_stacks_fini(&thread->stacks);
    unique_strings_fini(&thread->places);
    unique_strings_fini(&thread->strings);
}

uint32_t symbolicated_string(const struct symbolicated_thread *thread, uint32_t old)
{
    return ((uint32_t *)thread->string_map.items)[old];
}

uint32_t symbolicated_stack(const struct symbolicated_thread *thread, uint32_t old)
{
    return ((uint32_t *)thread->stack_map.items)[old];
}
