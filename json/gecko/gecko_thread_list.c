/* The threads of a process: which had an index when, exactly one that is the main one, and no two
 * with one id. */
#include <errno.h>

#include "json/gecko/gecko_context.h"
#include "json/hash.h"

enum {
    /* Threads without a record are made up to keep their data, but a damaged arena has no end of
       them. */
    MAX_UNKNOWN_THREADS = 4096,
    /* Added to the id of a thread whose number was used before: ids are unique. */
    TIDS_PER_USE = 10000000,
    FIRST_UNKNOWN_TID = 1000000000,
};

static uint64_t hash_index(uint32_t index)
{
    return hash_mix(index, 0);
}

static uint64_t hash_of_thread(const void *table, uint32_t position)
{
    const struct process_context *process = table;
    return hash_index(process_thread(process, position)->index);
}

/* The first thread that had INDEX, or NULL. */
static struct thread_context *find_first_thread(const struct process_context *process,
                                                uint32_t index)
{
    if (process->thread_slots.count == 0)
        return NULL;
    struct hash_probe probe = hash_probe_start(&process->thread_slots, hash_index(index));
    for (uint32_t slot; (slot = hash_probe_next(&probe)) != 0;) {
        struct thread_context *thread = process_thread(process, slot - 1);
        if (thread->index == index)
            return thread;
    }
    return NULL;
}

struct thread_context *thread_list_find_latest(const struct process_context *process,
                                               uint32_t index)
{
    const struct thread_context *first = find_first_thread(process, index);
    return first == NULL ? NULL : process_thread(process, first->latest);
}

void thread_list_append(struct process_context *process, const struct thread_context *described)
{
    int error = mapped_array_reserve(&process->threads, process->threads.count + 1,
                                     sizeof(struct thread_context));
    if (error == 0)
        error = hash_make_room(&process->thread_slots, (uint32_t)process->threads.count,
                               hash_of_thread, process);
    if (error < 0) {
        failure_latch_set(process->latch, error);
        return;
    }
    uint32_t position = (uint32_t)process->threads.count;
    struct thread_context *first = find_first_thread(process, described->index);
    struct thread_context *thread = process_thread(process, process->threads.count++);
    *thread = *described;
    thread->next_same_index = UNIQUE_NONE;
    thread->latest = thread->current = position;
    thread->samples.current_stack = UNIQUE_NONE;
    if (first == NULL) {
        hash_insert(&process->thread_slots, hash_index(thread->index), position);
    } else {
        process_thread(process, first->latest)->next_same_index = position;
        first->latest = position;
    }
}

/* Gives every process exactly one main thread. */
static void ensure_main_thread(struct process_context *process)
{
    struct thread_context *main_thread = NULL;
    for (size_t i = process->threads.count; i-- > 0;) {
        struct thread_context *thread = process_thread(process, i);
        bool is_better = thread->is_main || main_thread == NULL ||
                         (!main_thread->is_main && thread->tid == process->info.process_id);
        if (is_better)
            main_thread = thread;
    }
    if (main_thread == NULL) {
        struct thread_context made = { .tid = process->info.process_id,
                                       .start_ns = process->start_ns };
        thread_list_append(process, &made);
        main_thread = process->threads.count == 0 ? NULL : process_thread(process, 0);
    }
    for (size_t i = 0; i < process->threads.count; i++)
        process_thread(process, i)->is_main = process_thread(process, i) == main_thread;
}

static uint64_t hash_of_tid(const void *table, uint32_t position)
{
    return hash_mix((uint64_t)process_thread(table, position)->tid % TIDS_PER_USE, 1);
}

/* How many of the threads in SLOTS had TID. */
static int64_t count_uses(const struct process_context *process, const struct mapped_array *slots,
                          int64_t tid, uint64_t hash)
{
    int64_t uses = 0;
    struct hash_probe probe = hash_probe_start(slots, hash);
    for (uint32_t slot; (slot = hash_probe_next(&probe)) != 0;)
        uses += process_thread(process, slot - 1)->tid % TIDS_PER_USE == tid;
    return uses;
}

static void make_tids_unique(struct process_context *process)
{
    struct mapped_array slots = { 0 };
    for (uint32_t i = 0; i < process->threads.count; i++) {
        struct thread_context *thread = process_thread(process, i);
        int error = hash_make_room(&slots, i, hash_of_tid, process);
        if (error < 0) {
            failure_latch_set(process->latch, error);
            break;
        }
        uint64_t hash = hash_of_tid(process, i);
        thread->tid += count_uses(process, &slots, thread->tid, hash) * TIDS_PER_USE;
        hash_insert(&slots, hash, i);
    }
    mapped_array_free(&slots);
}

static void init_tables(struct process_context *process, struct thread_context *thread)
{
    unique_strings_init(&thread->strings, process->latch);
    unique_stacks_init(&thread->stacks, process->latch);
    json_writer_init(&thread->markers, process->latch);
}

static struct thread_context *add_unknown_thread(struct process_context *process, uint32_t index)
{
    static const char name[] = "Unknown thread";
    if (process->unknown_threads >= MAX_UNKNOWN_THREADS)
        return NULL;
    size_t position = process->threads.count;
    struct thread_context made = {
        .index = index,
        .tid = FIRST_UNKNOWN_TID + (int64_t)index,
        .start_ns = process->start_ns,
        .name = { name, sizeof(name) - 1 },
    };
    thread_list_append(process, &made);
    if (process->threads.count == position)
        return NULL;
    process->unknown_threads++;
    init_tables(process, process_thread(process, position));
    return process_thread(process, position);
}

struct thread_context *process_thread_at(struct process_context *process, uint32_t index,
                                         uint64_t time_ns)
{
    struct thread_context *first = find_first_thread(process, index);
    if (first == NULL)
        return add_unknown_thread(process, index);
    struct thread_context *thread = process_thread(process, first->current);
    if (thread->start_ns > time_ns)
        thread = first;
    while (thread->next_same_index != UNIQUE_NONE &&
           process_thread(process, thread->next_same_index)->start_ns <= time_ns)
        thread = process_thread(process, thread->next_same_index);
    first->current = (uint32_t)(thread - process_thread(process, 0));
    return thread;
}

void thread_list_complete(struct process_context *process)
{
    ensure_main_thread(process);
    make_tids_unique(process);
    /* Threads must not move after this: their writers have inner pointers. Without an arena there
     * is no data of unknown ones. */
    size_t unknown_threads = process->reader != NULL ? MAX_UNKNOWN_THREADS : 0;
    size_t max_threads = process->threads.count + unknown_threads;
    failure_latch_set(process->latch, mapped_array_reserve(&process->threads, max_threads,
                                                           sizeof(struct thread_context)));
    for (size_t i = 0; i < process->threads.count; i++)
        init_tables(process, process_thread(process, i));
}

void thread_list_fini(struct process_context *process)
{
    for (size_t i = 0; i < process->threads.count; i++) {
        struct thread_context *thread = process_thread(process, i);
        unique_strings_fini(&thread->strings);
        unique_stacks_fini(&thread->stacks);
        samples_fini(&thread->samples);
        event_delays_fini(&thread->event_delays);
        json_writer_fini(&thread->markers);
        mapped_array_free(&thread->open_markers);
    }
    mapped_array_free(&process->threads);
    mapped_array_free(&process->thread_slots);
}
