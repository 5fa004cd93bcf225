#include "profctl/convert/pprof_places.h"

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "profctl/profile/function_name.h"

enum {
    NO_MAPPING = 0,
    MAX_INLINED = 64, /* in one location; more of them are written as calls */
};

/* A library where the first process had it; of one that no process told of, only the name is known.
 */
struct pprof_mapping {
    uint64_t start, end, offset;
};

/* Known by its bytes, without gaps. Inlined: another place in the location OUTER. */
struct pprof_location {
    uint64_t offset_and_1; /* from the start of the mapping; 0: no address is known */
    uint32_t outer;        /* a location, and 1; 0: none */
    uint32_t depth;        /* of inlining */
    uint32_t place;        /* of the stacks */
    uint32_t mapping;      /* and 1; NO_MAPPING: none */
};

void pprof_places_init(struct pprof_places *places, struct thread_stacks *stacks,
                       struct pprof_writer *writer)
{
    *places = (struct pprof_places){ .stacks = stacks, .writer = writer };
    unique_strings_init(&places->libraries, &writer->latch);
    unique_strings_init(&places->locations, &writer->latch);
    unique_strings_init(&places->names, &writer->latch);
}

void pprof_places_fini(struct pprof_places *places)
{
    unique_strings_fini(&places->libraries);
    unique_strings_fini(&places->locations);
    unique_strings_fini(&places->names);
    mapped_array_free(&places->mappings);
    mapped_array_free(&places->of_names);
    mapped_array_free(&places->of_stacks);
    mapped_array_free(&places->path);
}

/* --- Mappings --- */

/* The number, and 1, of what KEY says, at MAPPING when it is new; NO_MAPPING without memory. */
static uint32_t add_mapping(struct pprof_places *places, const char *path, const char *build_id,
                            const struct pprof_mapping *mapping)
{
    char *key;
    int length = asprintf(&key, "%s%c%s%c", path, '\0', build_id, '\0');

    if (length < 0)
        return NO_MAPPING;
    uint32_t index = unique_strings_add(&places->libraries, key, (size_t)length);
    free(key);
    if (index == UNIQUE_NONE || index < places->mappings.count)
        return index + 1;
    struct pprof_mapping *added = mapped_array_push(&places->mappings, sizeof(*added));
    if (added == NULL)
        return NO_MAPPING;
    *added = *mapping;
    return index + 1;
}

static uint32_t map_library(struct pprof_places *places, const struct process_library *library)
{
    const struct pprof_mapping mapping = { library->start, library->end,
                                           library->start - library->load_bias };

    return add_mapping(places, library->path, library->build_id, &mapping);
}

/* Frames have ']' for ')' in names of libraries, and '[' for '('. */
static bool is_name_of(const char *name, size_t length, const struct process_library *library)
{
    if (strlen(library->name) != length)
        return false;
    for (size_t i = 0; i < length; i++) {
        char letter = library->name[i];
        if (name[i] != (letter == '(' ? '[' : letter == ')' ? ']' : letter))
            return false;
    }
    return true;
}

/* The mapping, and 1, of the library that frames of THREAD call NAME; NO_MAPPING without memory. */
static uint32_t map_name(struct pprof_places *places, const struct profile_thread *thread,
                         const char *name, size_t length)
{
    static const struct pprof_mapping nowhere;
    const struct process_library *libraries = thread->libraries->libraries.items;
    char copy[512];

    for (size_t i = 0; i < thread->libraries->libraries.count; i++) {
        if (is_name_of(name, length, &libraries[i]))
            return map_library(places, &libraries[i]);
    }
    snprintf(copy, sizeof(copy), "%.*s", (int)length, name);
    return add_mapping(places, copy, "", &nowhere);
}

/* As above, looked for once for each name and thread. */
static uint32_t find_name(struct pprof_places *places, const struct profile_thread *thread,
                          const char *name, size_t length)
{
    uint32_t index = unique_strings_add(&places->names, name, length);

    if (index == UNIQUE_NONE ||
        mapped_array_reserve(&places->of_names, (size_t)index + 1, sizeof(uint32_t)) < 0)
        return NO_MAPPING;
    if (places->of_names.count <= index)
        places->of_names.count = (size_t)index + 1; /* new memory is zeroed */
    uint32_t *mapping = (uint32_t *)places->of_names.items + index;
    if (*mapping == NO_MAPPING)
        *mapping = map_name(places, thread, name, length);
    return *mapping;
}

/* --- Locations --- */

/* Where the frame of STACK is. False without memory. */
static bool locate_frame(struct pprof_places *places, const struct profile_thread *thread,
                         uint32_t stack, struct pprof_location *out)
{
    const struct table_stack *row = thread_tables_stack(thread->tables, stack);
    uint32_t location = thread_tables_frame(thread->tables, row->frame)->location;
    const struct process_library *library;
    struct function_name parts;
    uint64_t address;
    size_t length;
    const char *name = unique_strings_get(&places->stacks->names,
                                          thread_stacks_name(places->stacks, stack), &length);

    if (thread_tables_address(thread->tables, location, &address) &&
        (library = process_libraries_find(thread->libraries, address)) != NULL) {
        out->mapping = map_library(places, library);
        out->offset_and_1 = address - library->start + 1;
        return out->mapping != NO_MAPPING;
    }
    function_name_parse(name, length, &parts);
    if (parts.library == NULL)
        return true;
    out->mapping = find_name(places, thread, parts.library, parts.library_length);
    return out->mapping != NO_MAPPING;
}

static struct pprof_location location_at(const struct pprof_places *places, uint32_t index)
{
    struct pprof_location out;
    size_t length;

    memcpy(&out, unique_strings_get(&places->locations, index, &length), sizeof(out));
    return out;
}

/* Puts LOCATION, whose frame is called from PREFIX, into the location of that. False: it is one of
 * its own. */
static bool put_in_outer(const struct pprof_places *places, uint32_t prefix,
                         struct pprof_location *location)
{
    const uint32_t *of_stacks = places->of_stacks.items;

    if (thread_stacks_place_at(places->stacks, location->place).is_inlined == 0 ||
        prefix == TABLE_NONE)
        return false;
    uint32_t depth = location_at(places, of_stacks[prefix]).depth;
    if (depth == MAX_INLINED)
        return false;
    location->outer = of_stacks[prefix] + 1;
    location->depth = depth + 1;
    return true;
}

/* UNIQUE_NONE without memory. */
static uint32_t add_location(struct pprof_places *places, const struct profile_thread *thread,
                             uint32_t stack)
{
    struct pprof_location location = { .place = thread_stacks_place(places->stacks, stack) };

    if (!put_in_outer(places, thread_tables_stack(thread->tables, stack)->prefix, &location) &&
        !locate_frame(places, thread, stack, &location))
        return UNIQUE_NONE;
    return unique_strings_add(&places->locations, (const char *)&location, sizeof(location));
}

int pprof_places_take(struct pprof_places *places, const struct profile_thread *thread)
{
    size_t count = thread->tables->stacks.count;
    int error = mapped_array_reserve(&places->of_stacks, count + 1, sizeof(uint32_t));
    uint32_t *of_stacks = places->of_stacks.items;

    if (error == 0 && places->of_names.count > 0)
        memset(places->of_names.items, 0, places->of_names.count * sizeof(uint32_t));
    for (uint32_t i = 0; i < count && error == 0; i++) {
        of_stacks[i] = add_location(places, thread, i);
        error = of_stacks[i] != UNIQUE_NONE ? 0 : -ENOMEM;
    }
    return error;
}

uint64_t *pprof_places_unroll(struct pprof_places *places, const struct thread_tables *tables,
                              uint32_t stack, size_t *depth)
{
    const uint32_t *of_stacks = places->of_stacks.items;

    *depth = 0;
    places->path.count = 0;
    if (mapped_array_reserve(&places->path, 1, sizeof(uint64_t)) < 0)
        return NULL;
    while (stack != TABLE_NONE) {
        uint64_t *id = mapped_array_push(&places->path, sizeof(*id));
        if (id == NULL)
            return NULL;
        *id = of_stacks[stack] + PPROF_FIRST_ID;
        while (location_at(places, of_stacks[stack]).outer != 0) /* in the same location */
            stack = thread_tables_stack(tables, stack)->prefix;
        stack = thread_tables_stack(tables, stack)->prefix;
    }
    *depth = places->path.count;
    return places->path.items;
}

/* --- Writing them --- */

static int write_mapping(struct pprof_places *places, uint32_t index)
{
    const struct pprof_mapping *at = (const struct pprof_mapping *)places->mappings.items + index;
    Pprof__Mapping mapping = PPROF__MAPPING__INIT, *mappings[] = { &mapping };
    Pprof__Profile message = PPROF__PROFILE__INIT;
    size_t length;
    const char *path = unique_strings_get(&places->libraries, index, &length);

    mapping.id = index + PPROF_FIRST_ID;
    mapping.memory_start = at->start;
    mapping.memory_limit = at->end;
    mapping.file_offset = at->offset;
    mapping.filename = pprof_writer_word(places->writer, path);
    mapping.build_id = pprof_writer_word(places->writer, path + strlen(path) + 1);
    mapping.has_functions = mapping.has_filenames = mapping.has_line_numbers =
        mapping.has_inline_frames = true;
    message.n_mapping = 1;
    message.mapping = mappings;
    return pprof_writer_message(places->writer, &message);
}

static int write_function(struct pprof_places *places, uint32_t index)
{
    const struct stack_function known = thread_stacks_function_at(places->stacks, index);
    Pprof__Function function = PPROF__FUNCTION__INIT, *functions[] = { &function };
    Pprof__Profile message = PPROF__PROFILE__INIT;
    struct function_name parts;
    size_t length;
    const char *text = unique_strings_get(&places->stacks->names, known.name, &length);

    function_name_parse(text, length, &parts);
    if (parts.function_length > 0)
        length = parts.function_length;
    function.id = index + PPROF_FIRST_ID;
    function.name = function.system_name = pprof_writer_string(places->writer, text, length);
    function.start_line = parts.line;
    if (known.file != UNIQUE_NONE) {
        text = unique_strings_get(&places->stacks->files, known.file, &length);
        function.filename = pprof_writer_string(places->writer, text, length);
    }
    message.n_function = 1;
    message.function = functions;
    return pprof_writer_message(places->writer, &message);
}

/* The innermost place first, and what it is inlined in behind it. The last has mapping and address,
 * which go to LOCATION. */
static void fill_location(struct pprof_places *places, uint32_t index, Pprof__Location *location,
                          Pprof__Line *lines, Pprof__Line **list)
{
    struct pprof_location at = location_at(places, index);

    for (;; at = location_at(places, at.outer - 1)) {
        const struct stack_place place = thread_stacks_place_at(places->stacks, at.place);
        Pprof__Line *line = &lines[location->n_line];
        pprof__line__init(line);
        line->function_id = place.function + PPROF_FIRST_ID;
        line->line = place.line;
        list[location->n_line++] = line;
        if (at.outer == 0)
            break;
    }
    location->mapping_id = at.mapping;
    if (at.offset_and_1 != 0)
        location->address =
            ((const struct pprof_mapping *)places->mappings.items)[at.mapping - 1].start +
            at.offset_and_1 - 1;
}

static int write_location(struct pprof_places *places, uint32_t index)
{
    Pprof__Location location = PPROF__LOCATION__INIT, *locations[] = { &location };
    Pprof__Profile message = PPROF__PROFILE__INIT;
    size_t count = (size_t)location_at(places, index).depth + 1;
    Pprof__Line *lines = calloc(count, sizeof(*lines));
    Pprof__Line **list = calloc(count, sizeof(Pprof__Line *));
    int error = lines != NULL && list != NULL ? 0 : -ENOMEM;
    if (error == 0) {
        location.id = index + PPROF_FIRST_ID;
        location.line = list;
        fill_location(places, index, &location, lines, list);
        message.n_location = 1;
        message.location = locations;
        error = pprof_writer_message(places->writer, &message);
    }
    free(lines);
    free(list);
    return error;
}

int pprof_places_write(struct pprof_places *places)
{
    int error = 0;

    for (uint32_t i = 0; i < places->mappings.count && error == 0; i++)
        error = write_mapping(places, i);
    for (uint32_t i = 0; i < unique_strings_count(&places->stacks->functions) && error == 0; i++)
        error = write_function(places, i);
    for (uint32_t i = 0; i < unique_strings_count(&places->locations) && error == 0; i++)
        error = write_location(places, i);
    return error;
}
