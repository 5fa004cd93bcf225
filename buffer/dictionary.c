#include "buffer/dictionary.h"

#include <errno.h>
#include <string.h>

#include "buffer/leb128.h"

enum {
    STRING_MAX_BYTES = 4096,
    THREAD_END_MAX_BYTES = 1 + 1 + 5 + LEB128_MAX_BYTES, /* size, kind, index, time */
};

/* One field of a record: a number, or bytes behind their length. */
struct field {
    const void *bytes; /* NULL: a number */
    uint64_t number;   /* or the length of bytes */
};

static struct field number_field(uint64_t value)
{
    return (struct field){ NULL, value };
}

static struct field bytes_field(const void *start, size_t length)
{
    return (struct field){ start, length < STRING_MAX_BYTES ? length : STRING_MAX_BYTES };
}

static struct field string_field(const char *text)
{
    return bytes_field(text, strnlen(text, STRING_MAX_BYTES));
}

static size_t record_bytes(const struct field *fields, size_t count)
{
    size_t total = 1; /* the kind */
    for (size_t i = 0; i < count; i++)
        total += leb128_size(fields[i].number) + (fields[i].bytes ? fields[i].number : 0);
    return total;
}

static uint8_t *write_field(uint8_t *out, const struct field *field)
{
    out = leb128_write(out, field->number);
    if (field->bytes == NULL)
        return out;
    memcpy(out, field->bytes, field->number);
    return out + field->number;
}

/* How much must stay free behind a record of KIND; the lock is held. */
static uint32_t reserve_after(const struct dictionary *dictionary, enum dictionary_kind kind)
{
    uint32_t reserved = dictionary->reserved_bytes;
    if (kind == DICTIONARY_THREAD)
        return reserved + THREAD_END_MAX_BYTES;
    if (kind == DICTIONARY_THREAD_END && reserved >= THREAD_END_MAX_BYTES)
        return reserved - THREAD_END_MAX_BYTES;
    return reserved;
}

/* Its address is the thread's own. Found without a call: the loader's may allocate, which no signal
 * handler can afford. */
static __thread __attribute__((tls_model("initial-exec"))) char holder_mark;

static bool is_held_by_caller(const struct dictionary *dictionary)
{
    return atomic_load_explicit(&dictionary->holder, memory_order_relaxed) == &holder_mark;
}

bool dictionary_try_hold(struct dictionary *dictionary)
{
    if (pthread_mutex_trylock(&dictionary->lock) != 0)
        return false;
    atomic_store_explicit(&dictionary->holder, &holder_mark, memory_order_relaxed);
    return true;
}

void dictionary_release(struct dictionary *dictionary)
{
    atomic_store_explicit(&dictionary->holder, NULL, memory_order_relaxed);
    pthread_mutex_unlock(&dictionary->lock);
}

/* Appends a record; readers see it whole or not at all. */
static int put_record(struct dictionary *dictionary, enum dictionary_kind kind,
                      const struct field *fields, size_t count)
{
    struct arena_header *header = dictionary->arena->header;
    size_t bytes_in_record = record_bytes(fields, count);
    size_t bytes_in_block = leb128_size(bytes_in_record) + bytes_in_record;
    int error = 0;

    bool is_held = is_held_by_caller(dictionary);
    if (!is_held)
        pthread_mutex_lock(&dictionary->lock);
    uint32_t used = atomic_load_explicit(&header->dictionary_used_bytes, memory_order_relaxed);
    uint32_t reserved = reserve_after(dictionary, kind);
    size_t needed = used + bytes_in_block + reserved;
    if (needed > dictionary->arena->dictionary_bytes ||
        arena_lease_dictionary(dictionary->arena, needed) < 0) {
        arena_count_drop(dictionary->arena, DROP_DICTIONARY_FULL, 1);
        error = -ENOSPC;
        goto cleanup;
    }
    dictionary->reserved_bytes = reserved;
    uint8_t *out = leb128_write(dictionary->arena->dictionary + used, bytes_in_record);
    *out++ = (uint8_t)kind;
    for (size_t i = 0; i < count; i++)
        out = write_field(out, &fields[i]);
    atomic_store_explicit(&header->dictionary_used_bytes,
                          (uint32_t)(out - dictionary->arena->dictionary), memory_order_release);
cleanup:
    if (!is_held)
        pthread_mutex_unlock(&dictionary->lock);
    return error;
}

#define PUT(dictionary, kind, ...)                                                                 \
    put_record(dictionary, kind, (const struct field[]){ __VA_ARGS__ },                            \
               sizeof((const struct field[]){ __VA_ARGS__ }) / sizeof(struct field))

void dictionary_init(struct dictionary *dictionary, struct arena *arena)
{
    dictionary->arena = arena;
    dictionary->reserved_bytes = 0;
    pthread_mutex_init(&dictionary->lock, NULL);
    atomic_store_explicit(&dictionary->holder, NULL, memory_order_relaxed);
}

int dictionary_move_lease(struct dictionary *dictionary, struct lease_ledger *ledger)
{
    struct arena *arena = dictionary->arena;

    pthread_mutex_lock(&dictionary->lock);
    arena->lease.ledger = ledger;
    arena->lease.front_units = 0;
    atomic_store(&arena->lease.group_units, 0);
    atomic_store_explicit(&arena->lease.units, 0, memory_order_relaxed);
    int error = arena_lease_dictionary(
        arena, atomic_load_explicit(&arena->header->dictionary_used_bytes, memory_order_relaxed) +
                   dictionary->reserved_bytes);
    if (error == 0)
        error = arena_lease_groups(arena, atomic_load(&arena->header->groups.used_bytes));
    pthread_mutex_unlock(&dictionary->lock);
    return error;
}

int dictionary_put_process(struct dictionary *dictionary, pid_t pid, pid_t parent,
                           uint64_t start_ns, const char *executable, const char *command_line,
                           size_t command_line_bytes)
{
    return PUT(dictionary, DICTIONARY_PROCESS, number_field((uint32_t)pid),
               number_field((uint32_t)parent), number_field(start_ns), string_field(executable),
               bytes_field(command_line, command_line_bytes));
}

int dictionary_put_thread(struct dictionary *dictionary, uint32_t index, pid_t tid, bool is_main,
                          uint64_t start_ns, const char *name)
{
    return PUT(dictionary, DICTIONARY_THREAD, number_field(index), number_field((uint32_t)tid),
               number_field(is_main), number_field(start_ns), string_field(name));
}

int dictionary_put_thread_name(struct dictionary *dictionary, uint32_t index, uint64_t time_ns,
                               const char *name)
{
    return PUT(dictionary, DICTIONARY_THREAD_NAME, number_field(index), number_field(time_ns),
               string_field(name));
}

int dictionary_put_thread_end(struct dictionary *dictionary, uint32_t index, uint64_t time_ns)
{
    return PUT(dictionary, DICTIONARY_THREAD_END, number_field(index), number_field(time_ns));
}

int dictionary_put_library(struct dictionary *dictionary, const struct dictionary_library *library)
{
    return PUT(dictionary, DICTIONARY_LIBRARY, number_field(library->time_ns),
               number_field(library->start), number_field(library->end),
               number_field(library->load_bias), string_field(library->path),
               bytes_field(library->build_id, library->build_id_bytes));
}

int dictionary_put_library_end(struct dictionary *dictionary, uint64_t time_ns, uint64_t start)
{
    return PUT(dictionary, DICTIONARY_LIBRARY_END, number_field(time_ns), number_field(start));
}

int dictionary_put_site(struct dictionary *dictionary, const struct dictionary_site *site)
{
    return PUT(dictionary, DICTIONARY_SITE, number_field(site->id), number_field(site->category),
               number_field(site->line), string_field(site->name), string_field(site->function),
               string_field(site->file));
}

int dictionary_put_marker_type(struct dictionary *dictionary, uint32_t id, const uint8_t *schema,
                               size_t schema_bytes)
{
    return PUT(dictionary, DICTIONARY_MARKER_TYPE, number_field(id),
               bytes_field(schema, schema_bytes));
}

int dictionary_put_site_type(struct dictionary *dictionary, uint32_t site, uint32_t marker_type)
{
    return PUT(dictionary, DICTIONARY_SITE_TYPE, number_field(site), number_field(marker_type));
}

int dictionary_put_site_frame(struct dictionary *dictionary, uint32_t site, uint32_t column)
{
    return PUT(dictionary, DICTIONARY_SITE_FRAME, number_field(site), number_field(column));
}

int dictionary_put_category(struct dictionary *dictionary, uint32_t id, const char *colour,
                            const char *name)
{
    return PUT(dictionary, DICTIONARY_CATEGORY, number_field(id), string_field(colour),
               string_field(name));
}

int dictionary_put_subcategory(struct dictionary *dictionary, uint32_t id, uint32_t category,
                               const char *name)
{
    return PUT(dictionary, DICTIONARY_SUBCATEGORY, number_field(id), number_field(category),
               string_field(name));
}

int dictionary_put_pause(struct dictionary *dictionary, uint64_t time_ns)
{
    return PUT(dictionary, DICTIONARY_PAUSE, number_field(time_ns));
}

int dictionary_put_resume(struct dictionary *dictionary, uint64_t time_ns)
{
    return PUT(dictionary, DICTIONARY_RESUME, number_field(time_ns));
}

int dictionary_put_sampling_pause(struct dictionary *dictionary, uint64_t time_ns)
{
    return PUT(dictionary, DICTIONARY_SAMPLING_PAUSE, number_field(time_ns));
}

int dictionary_put_sampling_resume(struct dictionary *dictionary, uint64_t time_ns)
{
    return PUT(dictionary, DICTIONARY_SAMPLING_RESUME, number_field(time_ns));
}

int dictionary_put_process_name(struct dictionary *dictionary, uint64_t time_ns, const char *name)
{
    return PUT(dictionary, DICTIONARY_PROCESS_NAME, number_field(time_ns), string_field(name));
}

int dictionary_put_user(struct dictionary *dictionary, uid_t user)
{
    return PUT(dictionary, DICTIONARY_USER, number_field(user));
}

int dictionary_put_log(struct dictionary *dictionary, uint64_t time_ns, const char *text)
{
    return PUT(dictionary, DICTIONARY_LOG, number_field(time_ns), string_field(text));
}

int dictionary_put_counter(struct dictionary *dictionary, uint32_t index, const char *name,
                           const char *category, const char *description)
{
    return PUT(dictionary, DICTIONARY_COUNTER, number_field(index), string_field(name),
               string_field(category), string_field(description));
}
