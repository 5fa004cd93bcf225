#include "profctl/report/missing_symbols.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* --- Libraries --- */

static int add_library(struct missing_symbols *missing, const struct process_library *library)
{
    struct unnamed_library *place = mapped_array_push(&missing->libraries, sizeof(*place));
    uint64_t *mark = mapped_array_push(&missing->marks, sizeof(*mark));

    if (place == NULL || mark == NULL)
        return -ENOMEM;
    *mark = 0;
    *place = (struct unnamed_library){ .name = strdup(library->name),
                                       .path = strdup(library->path),
                                       .build_id = strdup(library->build_id) };
    return place->name != NULL && place->path != NULL && place->build_id != NULL ? 0 : -ENOMEM;
}

static int find_library(struct missing_symbols *missing, const struct process_library *library,
                        uint32_t *index)
{
    uint32_t known = unique_strings_count(&missing->keys);
    char *key;
    int length = asprintf(&key, "%s\n%s", library->path, library->build_id);

    if (length < 0)
        return -ENOMEM;
    *index = unique_strings_add(&missing->keys, key, (size_t)length);
    free(key);
    if (*index == UNIQUE_NONE)
        return failure_latch_error(&missing->latch);
    return *index < known ? 0 : add_library(missing, library);
}

/* The library of each frame that is an address in one. */
static int find_owners(struct missing_symbols *missing, const struct profile_thread *thread)
{
    size_t count = thread->tables->frames.count;
    int error = mapped_array_reserve(&missing->owners, count, sizeof(uint32_t));
    uint32_t *owners = missing->owners.items;

    for (size_t i = 0; i < count && error == 0; i++) {
        const struct table_frame *frame = thread_tables_frame(thread->tables, (uint32_t)i);
        const struct process_library *library = NULL;
        uint64_t address;
        owners[i] = TABLE_NONE;
        if (thread_tables_address(thread->tables, frame->location, &address))
            library = process_libraries_find(thread->libraries, address);
        if (library != NULL)
            error = find_library(missing, library, &owners[i]);
    }
    return error;
}

/* --- Stacks --- */

static void add_sum(struct stack_sum *to, const struct stack_sum *sum)
{
    to->samples += sum->samples;
    to->cpu_ns += sum->cpu_ns;
}

/* Once for each library, however often it is in the stack. */
static void count_stack(struct missing_symbols *missing, const struct thread_tables *tables,
                        uint32_t stack, const struct stack_sum *sum)
{
    struct unnamed_library *libraries = missing->libraries.items;
    const uint32_t *owners = missing->owners.items;
    uint64_t *marks = missing->marks.items;

    missing->stack++;
    for (uint32_t at = stack; at != TABLE_NONE; at = thread_tables_stack(tables, at)->prefix) {
        uint32_t owner = owners[thread_tables_stack(tables, at)->frame];
        if (owner == TABLE_NONE)
            continue;
        if (at == stack)
            add_sum(&libraries[owner].self, sum);
        if (marks[owner] != missing->stack)
            add_sum(&libraries[owner].total, sum);
        marks[owner] = missing->stack;
    }
}

static int on_thread(void *owner, const struct profile_thread *thread)
{
    struct missing_symbols *missing = owner;
    int error = thread_stacks_take(&missing->stacks, thread);

    if (error == 0)
        error = find_owners(missing, thread);
    for (size_t i = 0; i < thread->tables->stacks.count && error == 0; i++) {
        const struct stack_sum *sum = thread_stacks_sum(&missing->stacks, (uint32_t)i);
        if (sum->samples > 0)
            count_stack(missing, thread->tables, (uint32_t)i, sum);
    }
    return error;
}

/* --- All --- */

static bool has_more_time(const void *left, const void *right)
{
    const struct unnamed_library *a = left, *b = right;

    if (a->total.cpu_ns != b->total.cpu_ns)
        return a->total.cpu_ns > b->total.cpu_ns;
    if (a->total.samples != b->total.samples)
        return a->total.samples > b->total.samples;
    return strcmp(a->path, b->path) < 0;
}

int missing_symbols_read(struct json_reader *reader, struct missing_symbols *out)
{
    static const struct profile_walk_events events = { .on_thread = on_thread };
    struct profile_facts facts;

    *out = (struct missing_symbols){ 0 };
    thread_stacks_init(&out->stacks);
    failure_latch_init(&out->latch);
    unique_strings_init(&out->keys, &out->latch);
    int error = profile_walk(reader, &events, out, &facts);
    mapped_array_sort(&out->libraries, sizeof(struct unnamed_library), has_more_time);
    return error;
}

void missing_symbols_free(struct missing_symbols *missing)
{
    struct unnamed_library *libraries = missing->libraries.items;

    for (size_t i = 0; i < missing->libraries.count; i++) {
        free(libraries[i].name);
        free(libraries[i].path);
        free(libraries[i].build_id);
    }
    thread_stacks_fini(&missing->stacks);
    unique_strings_fini(&missing->keys);
    mapped_array_free(&missing->libraries);
    mapped_array_free(&missing->owners);
    mapped_array_free(&missing->marks);
}
