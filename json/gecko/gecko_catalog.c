/* What the dictionary says about a process, record by record: its name, sites, libraries, pauses
 * and words. Its threads are a list of their own (gecko_thread_list.c). */
#include <errno.h>
#include <string.h>

#include "json/gecko/gecko_context.h"
#include "json/gecko/gecko_meta.h"
#include "json/hash.h"

static uint64_t hash_number(uint32_t number)
{
    return hash_mix(number, 0);
}

static uint64_t hash_of_site(const void *table, uint32_t position)
{
    const struct process_context *process = table;
    return hash_number(((const struct site *)process->sites.items)[position].id);
}

static void add_site(struct process_context *process, const struct arena_record *record)
{
    int error =
        hash_make_room(&process->site_slots, (uint32_t)process->sites.count, hash_of_site, process);
    struct site *site = error < 0 ? NULL : mapped_array_push(&process->sites, sizeof(*site));
    if (site == NULL) {
        failure_latch_set(process->latch, -ENOMEM);
        return;
    }
    *site = (struct site){
        .id = record->index,
        .category = gecko_categories_find(&process->categories, record->category),
        .line = record->line,
        .name = record->name,
        .file = record->file,
    };
    hash_insert(&process->site_slots, hash_number(site->id), (uint32_t)process->sites.count - 1);
}

static struct site *find_site(const struct process_context *process, uint32_t id)
{
    if (process->site_slots.count == 0)
        return NULL;
    struct hash_probe probe = hash_probe_start(&process->site_slots, hash_number(id));
    for (uint32_t slot; (slot = hash_probe_next(&probe)) != 0;) {
        struct site *site = (struct site *)process->sites.items + slot - 1;
        if (site->id == id)
            return site;
    }
    return NULL;
}

const struct site *process_site(const struct process_context *process, uint32_t id)
{
    return find_site(process, id);
}

static void add_marker_type(struct process_context *process, const struct arena_record *record)
{
    int error = marker_types_add(&process->marker_types, record->index, record->extra);
    if (error == -ENOMEM)
        failure_latch_set(process->latch, error);
    else if (error < 0)
        process->bad_entries++;
}

static void add_category(struct process_context *process, const struct arena_record *record)
{
    int error =
        record->kind == DICTIONARY_CATEGORY
            ? gecko_categories_add(&process->categories, record->index, record->name, record->extra)
            : gecko_categories_add_part(&process->categories, record->index, record->category,
                                        record->name);
    if (error == -ENOMEM)
        failure_latch_set(process->latch, error);
    else if (error < 0)
        process->bad_entries++;
}

static void take_site_type(struct process_context *process, const struct arena_record *record)
{
    struct site *site = find_site(process, record->index);
    if (site != NULL)
        site->marker_type = record->marker_type;
    else
        process->bad_entries++;
}

static void take_site_frame(struct process_context *process, const struct arena_record *record)
{
    struct site *site = find_site(process, record->index);
    if (site == NULL) {
        process->bad_entries++;
        return;
    }
    site->is_frame = true;
    site->column = record->line;
}

static void add_log_line(struct process_context *process, const struct arena_record *record)
{
    struct log_line *line = mapped_array_push(&process->log, sizeof(*line));
    if (line == NULL)
        failure_latch_set(process->latch, -ENOMEM);
    else
        *line = (struct log_line){ .time_ns = record->time_ns, .text = record->name };
}

static struct pause *last_pause(const struct mapped_array *pauses)
{
    return pauses->count > 0 ? (struct pause *)pauses->items + pauses->count - 1 : NULL;
}

static void add_pause(struct process_context *process, struct mapped_array *pauses,
                      uint64_t start_ns, uint64_t end_ns)
{
    struct pause *pause = mapped_array_push(pauses, sizeof(*pause));
    if (pause == NULL)
        failure_latch_set(process->latch, -ENOMEM);
    else
        *pause = (struct pause){ .start_ns = start_ns, .end_ns = end_ns };
}

/* The beginning, or the end, of one of PAUSES. */
static void take_bound(struct process_context *process, struct mapped_array *pauses, bool is_end,
                       uint64_t time_ns)
{
    struct pause *last = last_pause(pauses);
    bool is_paused = last != NULL && last->end_ns == 0;
    if (!is_end && !is_paused)
        add_pause(process, pauses, time_ns, 0);
    else if (is_end && is_paused)
        last->end_ns = time_ns;
    else if (is_end && last == NULL)
        add_pause(process, pauses, 0, time_ns);
}

static void take_pause(struct process_context *process, const struct arena_record *record)
{
    take_bound(process, &process->pauses, record->kind == DICTIONARY_RESUME, record->time_ns);
}

static void take_sampling_pause(struct process_context *process, const struct arena_record *record)
{
    take_bound(process, &process->sampling_pauses, record->kind == DICTIONARY_SAMPLING_RESUME,
               record->time_ns);
}

static void take_process(struct process_context *process, const struct arena_record *record)
{
    process->executable = record->name;
    process->command_line = record->extra;
    if (record->time_ns != 0)
        process->start_ns = record->time_ns;
}

static void take_process_name(struct process_context *process, const struct arena_record *record)
{
    process->name = record->name;
}

static void take_user(struct process_context *process, const struct arena_record *record)
{
    process->user = record->index;
    process->knows_user = true;
}

static void take_thread(struct process_context *process, const struct arena_record *record)
{
    struct thread_context thread = {
        .index = record->index,
        .tid = record->tid,
        .is_main = record->is_main,
        .start_ns = record->time_ns,
        .name = record->name,
    };
    thread_list_append(process, &thread);
}

static void take_thread_change(struct process_context *process, const struct arena_record *record)
{
    struct thread_context *thread = thread_list_find_latest(process, record->index);
    if (thread == NULL)
        return;
    if (record->kind == DICTIONARY_THREAD_NAME)
        thread->name = record->name;
    else
        thread->end_ns = record->time_ns;
}

static void take_record(struct process_context *process, const struct arena_record *record)
{
    static void (*const takers[])(struct process_context * process,
                                  const struct arena_record *record) = {
        [DICTIONARY_PROCESS] = take_process,
        [DICTIONARY_PROCESS_NAME] = take_process_name,
        [DICTIONARY_THREAD] = take_thread,
        [DICTIONARY_THREAD_NAME] = take_thread_change,
        [DICTIONARY_THREAD_END] = take_thread_change,
        [DICTIONARY_LIBRARY] = library_changes_take,
        [DICTIONARY_LIBRARY_END] = library_changes_take,
        [DICTIONARY_SITE] = add_site,
        [DICTIONARY_SITE_TYPE] = take_site_type,
        [DICTIONARY_SITE_FRAME] = take_site_frame,
        [DICTIONARY_MARKER_TYPE] = add_marker_type,
        [DICTIONARY_PAUSE] = take_pause,
        [DICTIONARY_RESUME] = take_pause,
        [DICTIONARY_SAMPLING_PAUSE] = take_sampling_pause,
        [DICTIONARY_SAMPLING_RESUME] = take_sampling_pause,
        [DICTIONARY_LOG] = add_log_line,
        [DICTIONARY_COUNTER] = counters_add,
        [DICTIONARY_USER] = take_user,
        [DICTIONARY_CATEGORY] = add_category,
        [DICTIONARY_SUBCATEGORY] = add_category,
    };

    if (record->kind < sizeof(takers) / sizeof(takers[0]) && takers[record->kind] != NULL)
        takers[record->kind](process, record);
}

static void start_context(struct process_context *process,
                          const struct gecko_process_options *options, struct failure_latch *latch)
{
    memset(process, 0, sizeof(*process));
    process->options = *options;
    process->latch = latch;
}

/* What follows from the records. */
static void complete_context(struct process_context *process)
{
    process->unique_pid = gecko_unique_pid(process->info.process_id, process->options.later_images);
    thread_list_complete(process);
    library_changes_complete(process);
}

void process_context_init(struct process_context *process, struct arena_reader *reader,
                          const struct gecko_process_options *options, struct failure_latch *latch)
{
    struct arena_record record;
    start_context(process, options, latch);
    process->reader = reader;
    arena_reader_info(reader, &process->info);
    process->start_ns = process->info.process_start_ns;
    arena_reader_rewind_records(reader);
    while (!failure_latch_failed(latch) && arena_reader_next_record(reader, &record) == 1)
        take_record(process, &record);
    complete_context(process);
}

static struct arena_string arena_string_of(const char *text)
{
    return text == NULL ? (struct arena_string){ NULL, 0 }
                        : (struct arena_string){ text, strlen(text) };
}

void process_context_init_unprofiled(struct process_context *process,
                                     const struct gecko_unprofiled_process *unprofiled,
                                     const struct gecko_process_options *options,
                                     struct failure_latch *latch)
{
    start_context(process, options, latch);
    process->info.process_id = unprofiled->pid;
    process->info.parent_process_id = unprofiled->parent_pid;
    process->lacks_start = unprofiled->start_ns == 0;
    process->start_ns = process->lacks_start ? options->end_ns : unprofiled->start_ns;
    process->info.produced_blocks = unprofiled->account.produced_blocks;
    process->info.produced_bytes = unprofiled->account.produced_bytes;
    process->info.drops[DROP_RECYCLED] = unprofiled->account.dropped_blocks;
    process->info.drop_bytes[DROP_RECYCLED] = unprofiled->account.dropped_bytes;
    process->executable = arena_string_of(unprofiled->executable);
    process->command_line =
        (struct arena_string){ unprofiled->command_line, unprofiled->command_line_bytes };
    complete_context(process);
}

uint64_t process_end_ns(const struct process_context *process)
{
    return process->options.end_ns != 0 ? process->options.end_ns : UINT64_MAX;
}

void process_context_fini(struct process_context *process)
{
    thread_list_fini(process);
    counters_fini(process);
    allocations_fini(process);
    stack_tracker_free(&process->allocations);
    mapped_array_free(&process->overhead.rows);
    struct mapped_array *arrays[] = {
        &process->sites,     &process->site_slots,      &process->sampling_pauses,
        &process->libraries, &process->pauses,          &process->log,
        &process->ticks,     &process->library_changes,
    };
    for (size_t i = 0; i < sizeof(arrays) / sizeof(arrays[0]); i++)
        mapped_array_free(arrays[i]);
    gecko_categories_free(&process->categories);
    marker_types_free(&process->marker_types);
}
