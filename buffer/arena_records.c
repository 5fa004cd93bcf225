/* Dictionary records, decoded. */
#include <errno.h>
#include <string.h>

#include "buffer/arena_reader_state.h"
#include "buffer/leb128.h"

enum { RECORD_MAX_FIELDS = 6, BUILD_ID_MAX_BYTES = 64 };

/* What a field of a record is, and with that where it goes in struct arena_record. */
enum field {
    FIELD_NONE = 0, /* ends a layout */
    FIELD_TIME,
    FIELD_INDEX,
    FIELD_PID,
    FIELD_PARENT_PID,
    FIELD_TID,
    FIELD_IS_MAIN,
    FIELD_CATEGORY,
    FIELD_LINE,
    FIELD_MARKER_TYPE,
    FIELD_START,
    FIELD_END,
    FIELD_LOAD_BIAS,
    FIELD_NAME,
    FIELD_EXTRA,
    FIELD_BUILD_ID, /* in extra */
    FIELD_FILE,
};

static const uint8_t layouts[][RECORD_MAX_FIELDS] = {
    [DICTIONARY_PROCESS] = { FIELD_PID, FIELD_PARENT_PID, FIELD_TIME, FIELD_NAME, FIELD_EXTRA },
    [DICTIONARY_THREAD] = { FIELD_INDEX, FIELD_TID, FIELD_IS_MAIN, FIELD_TIME, FIELD_NAME },
    [DICTIONARY_THREAD_NAME] = { FIELD_INDEX, FIELD_TIME, FIELD_NAME },
    [DICTIONARY_THREAD_END] = { FIELD_INDEX, FIELD_TIME },
    [DICTIONARY_LIBRARY] = { FIELD_TIME, FIELD_START, FIELD_END, FIELD_LOAD_BIAS, FIELD_NAME,
                             FIELD_BUILD_ID },
    [DICTIONARY_LIBRARY_END] = { FIELD_TIME, FIELD_START },
    [DICTIONARY_SITE] = { FIELD_INDEX, FIELD_CATEGORY, FIELD_LINE, FIELD_NAME, FIELD_EXTRA,
                          FIELD_FILE },
    [DICTIONARY_CATEGORY] = { FIELD_INDEX, FIELD_EXTRA, FIELD_NAME },
    [DICTIONARY_SUBCATEGORY] = { FIELD_INDEX, FIELD_CATEGORY, FIELD_NAME },
    [DICTIONARY_PAUSE] = { FIELD_TIME },
    [DICTIONARY_RESUME] = { FIELD_TIME },
    [DICTIONARY_SAMPLING_PAUSE] = { FIELD_TIME },
    [DICTIONARY_SAMPLING_RESUME] = { FIELD_TIME },
    [DICTIONARY_PROCESS_NAME] = { FIELD_TIME, FIELD_NAME },
    [DICTIONARY_LOG] = { FIELD_TIME, FIELD_NAME },
    [DICTIONARY_COUNTER] = { FIELD_INDEX, FIELD_NAME, FIELD_EXTRA, FIELD_FILE },
    [DICTIONARY_USER] = { FIELD_INDEX },
    [DICTIONARY_MARKER_TYPE] = { FIELD_INDEX, FIELD_EXTRA },
    [DICTIONARY_SITE_TYPE] = { FIELD_INDEX, FIELD_MARKER_TYPE },
    [DICTIONARY_SITE_FRAME] = { FIELD_INDEX, FIELD_LINE },
};

enum { LAYOUT_COUNT = sizeof(layouts) / sizeof(layouts[0]) };

/* Numbers of less than 64 bits. False when VALUE is too large. */
static bool store_u32(uint32_t *out, uint64_t value)
{
    *out = (uint32_t)value;
    return value <= UINT32_MAX;
}

static bool store_pid(int32_t *out, uint64_t value)
{
    *out = (int32_t)value;
    return value <= INT32_MAX;
}

static bool store_number(struct arena_record *record, enum field field, uint64_t value)
{
    switch (field) {
    case FIELD_TIME:
        record->time_ns = value;
        return true;
    case FIELD_INDEX:
        return store_u32(&record->index, value);
    case FIELD_PID:
        return store_pid(&record->pid, value);
    case FIELD_PARENT_PID:
        return store_pid(&record->parent_pid, value);
    case FIELD_TID:
        return store_pid(&record->tid, value);
    case FIELD_IS_MAIN:
        record->is_main = value == 1;
        return value <= 1;
    case FIELD_CATEGORY:
        return store_u32(&record->category, value);
    case FIELD_LINE:
        return store_u32(&record->line, value);
    case FIELD_MARKER_TYPE:
        return store_u32(&record->marker_type, value);
    case FIELD_START:
        record->start = value;
        return true;
    case FIELD_END:
        record->end = value;
        return value >= record->start;
    case FIELD_LOAD_BIAS:
        record->load_bias = value;
        return true;
    default:
        return false;
    }
}

static bool store_string(struct arena_record *record, enum field field, struct arena_string string)
{
    switch (field) {
    case FIELD_NAME:
        record->name = string;
        return true;
    case FIELD_EXTRA:
        record->extra = string;
        return true;
    case FIELD_BUILD_ID:
        record->extra = string;
        return string.length <= BUILD_ID_MAX_BYTES;
    case FIELD_FILE:
        record->file = string;
        return true;
    default:
        return false;
    }
}

/* Decodes one field at IN; returns the byte after it, or NULL when it is damaged. */
static const uint8_t *decode_field(const uint8_t *in, const uint8_t *end, enum field field,
                                   struct arena_record *record)
{
    uint64_t value;
    in = leb128_read(in, end, &value);
    if (in == NULL)
        return NULL;
    if (field < FIELD_NAME)
        return store_number(record, field, value) ? in : NULL;
    if (value > (size_t)(end - in))
        return NULL;
    struct arena_string string = { (const char *)in, (size_t)value };
    return store_string(record, field, string) ? in + value : NULL;
}

/* 1 with *OUT filled; 0 for a kind that is not known here; -EPROTO when damaged. */
static int decode_record(const uint8_t *in, const uint8_t *end, struct arena_record *out)
{
    if (in == end)
        return -EPROTO;
    uint8_t kind = *in++;
    if (kind >= LAYOUT_COUNT || layouts[kind][0] == FIELD_NONE)
        return 0;
    memset(out, 0, sizeof(*out));
    out->kind = (enum dictionary_kind)kind;
    for (int i = 0; i < RECORD_MAX_FIELDS && layouts[kind][i] != FIELD_NONE; i++) {
        in = decode_field(in, end, (enum field)layouts[kind][i], out);
        if (in == NULL)
            return -EPROTO;
    }
    return in == end ? 1 : -EPROTO;
}

/* Counts the damage at OFFSET, once, however often the records are read. */
static void count_bad_record(struct arena_reader *reader, size_t offset)
{
    if (offset < reader->records_counted)
        return;
    reader->info.bad_records++;
    reader->records_counted = offset + 1;
}

int arena_reader_next_record(struct arena_reader *reader, struct arena_record *out)
{
    const uint8_t *end = reader->dictionary + reader->dictionary_bytes;
    while (reader->records_next < reader->dictionary_bytes) {
        size_t offset = reader->records_next;
        uint64_t record_bytes;
        const uint8_t *record = leb128_read(reader->dictionary + offset, end, &record_bytes);
        if (record == NULL || record_bytes > (size_t)(end - record)) {
            count_bad_record(reader, offset);
            reader->records_next = reader->dictionary_bytes;
            return 0;
        }
        reader->records_next = (size_t)(record - reader->dictionary) + record_bytes;
        int result = decode_record(record, record + record_bytes, out);
        if (result > 0)
            return 1;
        if (result < 0)
            count_bad_record(reader, offset);
    }
    return 0;
}

void arena_reader_rewind_records(struct arena_reader *reader)
{
    reader->records_next = 0;
}
