#include "json/unique_strings.h"

#include <errno.h>
#include <string.h>

#include "json/hash.h"

struct unique_string {
    size_t offset; /* into the bytes */
    size_t length;
    uint64_t hash;
};

void unique_strings_init(struct unique_strings *strings, struct failure_latch *latch)
{
    memset(strings, 0, sizeof(*strings));
    strings->latch = latch;
}

void unique_strings_fini(struct unique_strings *strings)
{
    mapped_array_free(&strings->bytes);
    mapped_array_free(&strings->entries);
    mapped_array_free(&strings->slots);
}

static const struct unique_string *entry_at(const struct unique_strings *strings, uint32_t index)
{
    return (const struct unique_string *)strings->entries.items + index;
}

uint32_t unique_strings_count(const struct unique_strings *strings)
{
    return (uint32_t)strings->entries.count;
}

const char *unique_strings_get(const struct unique_strings *strings, uint32_t index, size_t *length)
{
    const struct unique_string *entry = entry_at(strings, index);
    *length = entry->length;
    return (const char *)strings->bytes.items + entry->offset;
}

static uint64_t hash_of_entry(const void *table, uint32_t index)
{
    return entry_at(table, index)->hash;
}

static uint32_t find_string(const struct unique_strings *strings, const char *bytes, size_t length,
                            uint64_t hash)
{
    if (strings->slots.count == 0)
        return UNIQUE_NONE;
    struct hash_probe probe = hash_probe_start(&strings->slots, hash);
    for (uint32_t slot; (slot = hash_probe_next(&probe)) != 0;) {
        const struct unique_string *entry = entry_at(strings, slot - 1);
        const char *kept = (const char *)strings->bytes.items + entry->offset;
        if (entry->hash == hash && entry->length == length &&
            (length == 0 || memcmp(kept, bytes, length) == 0))
            return slot - 1;
    }
    return UNIQUE_NONE;
}

uint32_t unique_strings_find(const struct unique_strings *strings, const char *bytes, size_t length)
{
    return find_string(strings, bytes, length, hash_bytes(bytes, length));
}

static int make_room(struct unique_strings *strings, size_t length)
{
    if (strings->entries.count >= UNIQUE_NONE - 1)
        return -ENOSPC;
    /* One byte more, so that the block exists even for an empty string. */
    int error = mapped_array_reserve(&strings->bytes, strings->bytes.count + length + 1, 1);
    if (error == 0)
        error = mapped_array_reserve(&strings->entries, strings->entries.count + 1,
                                     sizeof(struct unique_string));
    if (error == 0)
        error = hash_make_room(&strings->slots, (uint32_t)strings->entries.count, hash_of_entry,
                               strings);
    return error;
}

static uint32_t append_string(struct unique_strings *strings, const char *bytes, size_t length,
                              uint64_t hash)
{
    uint32_t index = (uint32_t)strings->entries.count++;
    struct unique_string *entry = (struct unique_string *)strings->entries.items + index;
    *entry = (struct unique_string){ strings->bytes.count, length, hash };
    if (length > 0)
        memcpy((char *)strings->bytes.items + entry->offset, bytes, length);
    strings->bytes.count += length;
    hash_insert(&strings->slots, hash, index);
    return index;
}

uint32_t unique_strings_add(struct unique_strings *strings, const char *bytes, size_t length)
{
    uint64_t hash = hash_bytes(bytes, length);
    uint32_t index = find_string(strings, bytes, length, hash);
    if (index != UNIQUE_NONE)
        return index;
    int error = failure_latch_error(strings->latch);
    if (error == 0)
        error = make_room(strings, length);
    if (error < 0) {
        failure_latch_set(strings->latch, error);
        return UNIQUE_NONE;
    }
    return append_string(strings, bytes, length, hash);
}

void unique_strings_stream(const struct unique_strings *strings, struct json_writer *writer)
{
    json_start_array(writer);
    for (uint32_t index = 0; index < unique_strings_count(strings); index++) {
        size_t length;
        const char *bytes = unique_strings_get(strings, index, &length);
        json_string_bytes(writer, bytes, length);
    }
    json_end_array(writer);
}
