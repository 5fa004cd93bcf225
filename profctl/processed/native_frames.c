#include "profctl/processed/native_frames.h"

#include <string.h>

bool native_frames_are_raw(const struct thread_tables *tables)
{
    for (uint32_t i = 0; i < tables->frames.count; i++) {
        struct function_name name;
        size_t length;
        const char *text =
            thread_tables_string(tables, thread_tables_frame(tables, i)->location, &length);
        function_name_parse(text, length, &name);
        if (name.library != NULL)
            return false;
    }
    return true;
}

bool native_address_find(const struct thread_tables *tables,
                         const struct process_libraries *libraries, uint32_t location,
                         struct native_address *out)
{
    uint64_t address;

    if (!thread_tables_address(tables, location, &address))
        return false;
    out->library = process_libraries_find(libraries, address);
    if (out->library == NULL || address - out->library->load_bias > UINT32_MAX)
        return false;
    out->offset = (uint32_t)(address - out->library->load_bias);
    return true;
}

/* What is at ADDRESS; no frames if that is not known. Processes have ended, so that only paths lead
 * to files. */
static int find_names(struct symbol_cache *cache, const struct native_address *address,
                      struct symbol_frames *names)
{
    struct process_library *library = address->library;

    if (library->symbols == NULL) {
        int error = symbol_cache_find(cache, library->name, library->path, library->build_id, 0,
                                      &library->symbols);
        if (error < 0)
            return error;
    }
    return symbol_library_resolve(library->symbols, address->offset - (address->is_caller ? 1 : 0),
                                  names);
}

/* The frame of one of the functions at an address. */
static uint32_t add_frame(struct shared_tables *tables, const struct symbol_library *symbols,
                          const struct symbol_frame *named, const struct shared_frame *common)
{
    struct shared_frame frame = *common;
    struct function_name name;
    uint32_t source = UNIQUE_NONE;
    size_t length;
    const char *text = symbol_library_location(symbols, named->location, &length);

    function_name_parse(text, length, &name);
    if (named->file != NULL)
        source = shared_tables_source(tables, named->file, strlen(named->file));
    if (named->line != 0)
        frame.flags |= FRAME_HAS_LINE;
    frame.line = named->line;
    frame.function = shared_tables_function(tables, &name, source);
    return shared_tables_frame(tables, &frame);
}

/* The linker's symbol around the functions NAMES, called as the outermost is. */
static void describe_symbol(struct shared_tables *tables, const struct symbol_library *symbols,
                            const struct symbol_frames *names, struct shared_frame *frame)
{
    struct function_name name;
    size_t length;
    const char *text = symbol_library_location(symbols, names->frames[0].location, &length);

    if (names->start == 0 || names->start > UINT32_MAX)
        return;
    function_name_parse(text, length, &name);
    const struct shared_symbol symbol = {
        .library = frame->library,
        .address = (uint32_t)names->start,
        .name = shared_tables_string(tables, name.function, name.function_length),
        .size = names->end > names->start ? (uint32_t)(names->end - names->start) : 0,
    };
    frame->flags |= FRAME_HAS_SYMBOL;
    frame->symbol = shared_tables_symbol(tables, &symbol);
}

int native_frames_push(struct shared_tables *tables, struct symbol_cache *cache,
                       const struct native_address *address, const struct table_frame *frame,
                       uint32_t prefix, uint32_t *row)
{
    struct symbol_frames names;
    int error = find_names(cache, address, &names);

    if (error < 0 || names.count == 0)
        return error;
    const struct symbol_library *symbols = address->library->symbols;
    struct shared_frame common = {
        .flags = FRAME_IS_NATIVE | FRAME_HAS_CATEGORY,
        .address = address->offset - (address->is_caller ? 1 : 0),
        .category = frame->category,
        .subcategory = frame->subcategory,
        .library = shared_tables_library(tables, address->library),
    };
    describe_symbol(tables, symbols, &names, &common);
    for (size_t i = 0; i < names.count; i++) {
        uint32_t added = add_frame(tables, symbols, &names.frames[i], &common);
        prefix = shared_tables_stack(tables, prefix, added);
        common.flags |= FRAME_IS_INLINED; /* in the first */
    }
    *row = prefix;
    return 1;
}
