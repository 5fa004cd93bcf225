#include "ipc/message_fields.h"

#include <errno.h>
#include <msgpack/pack.h>
#include <string.h>

#include "buffer/chunk_update.h"
#include "ipc/frame.h"
#include "ipc/message_string.h"
#include "ipc/msgpack_cursor.h"
#include "ipc/protocol_version.h"

enum { RELEASED_FIELDS = 3 };

/* --- what a value may be, for both directions --- */

static bool unsigned_fits(const struct message_field *field, uint64_t value)
{
    if (field->type == FIELD_BITS)
        return (value & ~field->most) == 0;
    return value >= (uint64_t)field->least && value <= field->most;
}

static bool signed_fits(const struct message_field *field, int64_t value)
{
    return value >= field->least && (value < 0 || (uint64_t)value <= field->most);
}

static bool content_fits(const struct message_field *field, const struct message_string *string)
{
    if (string->length < (uint64_t)field->least)
        return false;
    if (string->length == 0 || field->type == FIELD_BYTES)
        return true;
    if (field->type == FIELD_STRINGS)
        return string->bytes[string->length - 1] == '\0';
    return memchr(string->bytes, '\0', string->length) == NULL;
}

/* --- encoding --- */

struct frame_writer {
    uint8_t *out;
    size_t used, capacity;
};

static int write_into_frame(void *data, const char *bytes, size_t count)
{
    struct frame_writer *writer = data;
    if (count > writer->capacity - writer->used)
        return -EMSGSIZE;
    if (count > 0)
        memcpy(writer->out + writer->used, bytes, count);
    writer->used += count;
    return 0;
}

static int put_string(msgpack_packer *packer, const struct message_field *field,
                      const struct message_string *string)
{
    if (string->length > field->most)
        return -EMSGSIZE;
    if (!content_fits(field, string))
        return -EINVAL;
    int error = msgpack_pack_str(packer, string->length);
    return error < 0 ? error : msgpack_pack_str_body(packer, string->bytes, string->length);
}

static int put_unsigned(msgpack_packer *packer, const struct message_field *field, uint64_t value)
{
    return unsigned_fits(field, value) ? msgpack_pack_uint64(packer, value) : -EINVAL;
}

static int put_signed(msgpack_packer *packer, const struct message_field *field, int64_t value)
{
    return signed_fits(field, value) ? msgpack_pack_int64(packer, value) : -EINVAL;
}

static int put_released(msgpack_packer *packer, const struct chunk_update *update)
{
    if (update->newly_released_count > CHUNK_UPDATE_MAX_RELEASED)
        return -EINVAL;
    int error = msgpack_pack_array(packer, update->newly_released_count);
    for (uint32_t i = 0; error == 0 && i < update->newly_released_count; i++) {
        const struct released_chunk *chunk = &update->newly_released[i];
        if ((error = msgpack_pack_array(packer, RELEASED_FIELDS)) == 0 &&
            (error = msgpack_pack_uint64(packer, chunk->done_ns)) == 0 &&
            (error = msgpack_pack_uint64(packer, chunk->bytes)) == 0)
            error = msgpack_pack_uint64(packer, chunk->sequence);
    }
    return error;
}

static int put_field(msgpack_packer *packer, const struct message_field *field, const void *message)
{
    const void *value = (const char *)message + field->offset;
    switch (field->type) {
    case FIELD_VERSION:
    case FIELD_UNSIGNED:
    case FIELD_BITS:
        return put_unsigned(packer, field, *(const uint64_t *)value);
    case FIELD_UNSIGNED_32:
        return put_unsigned(packer, field, *(const uint32_t *)value);
    case FIELD_SIGNED:
        return put_signed(packer, field, *(const int64_t *)value);
    case FIELD_BYTES:
    case FIELD_TEXT:
    case FIELD_STRINGS:
        return put_string(packer, field, value);
    case FIELD_RELEASED:
        return put_released(packer, value);
    }
    return -EINVAL;
}

static void put_frame_length(uint8_t *out, size_t payload_bytes)
{
    for (int i = 0; i < FRAME_HEADER_BYTES; i++)
        out[i] = (uint8_t)(payload_bytes >> (8 * i));
}

static bool is_greeting(const struct message_schema *schema)
{
    return schema->field_count > 0 && schema->fields[0].type == FIELD_VERSION;
}

static uint64_t read_version(const struct message_field *field, const void *message)
{
    return *(const uint64_t *)((const char *)message + field->offset);
}

/* How many fields a reader of that minor version takes. */
static size_t count_fields(const struct message_schema *schema, const void *message, uint64_t minor)
{
    if (is_greeting(schema))
        minor = protocol_version_minor(read_version(&schema->fields[0], message));
    return minor == 0 ? schema->count_in_6_0 : schema->field_count;
}

long message_fields_put(const struct message_schema *schema, uint8_t *out, size_t capacity,
                        unsigned kind, const void *message, uint64_t minor)
{
    if (capacity < FRAME_HEADER_BYTES)
        return -EMSGSIZE;
    struct frame_writer writer = { .out = out,
                                   .used = FRAME_HEADER_BYTES,
                                   .capacity = capacity < MESSAGE_MAX_BYTES ? capacity
                                                                            : MESSAGE_MAX_BYTES };
    msgpack_packer packer;
    msgpack_packer_init(&packer, &writer, write_into_frame);

    const size_t count = count_fields(schema, message, minor);
    int error = schema->check == NULL ? 0 : schema->check(message);
    if (error == 0)
        error = msgpack_pack_array(&packer, 1 + count);
    if (error == 0)
        error = msgpack_pack_uint64(&packer, kind);
    for (size_t i = 0; error == 0 && i < count; i++)
        error = put_field(&packer, &schema->fields[i], message);
    if (error < 0)
        return error;
    put_frame_length(out, writer.used - FRAME_HEADER_BYTES);
    return (long)writer.used;
}

/* --- decoding --- */

static int get_unsigned(struct msgpack_cursor *cursor, uint64_t *out)
{
    struct msgpack_item item;
    if (msgpack_cursor_take(cursor, &item) < 0 || item.type != MSGPACK_ITEM_POSITIVE)
        return -EPROTO;
    *out = item.number;
    return 0;
}

static int get_bounded(struct msgpack_cursor *cursor, const struct message_field *field,
                       uint64_t *out)
{
    return get_unsigned(cursor, out) == 0 && unsigned_fits(field, *out) ? 0 : -EPROTO;
}

static int get_bounded_32(struct msgpack_cursor *cursor, const struct message_field *field,
                          uint32_t *out)
{
    uint64_t value;
    int error = get_bounded(cursor, field, &value);
    if (error == 0)
        *out = (uint32_t)value;
    return error;
}

static int get_signed(struct msgpack_cursor *cursor, const struct message_field *field,
                      int64_t *out)
{
    struct msgpack_item item;
    if (msgpack_cursor_take(cursor, &item) < 0)
        return -EPROTO;
    if (item.type != MSGPACK_ITEM_NEGATIVE &&
        (item.type != MSGPACK_ITEM_POSITIVE || item.number > INT64_MAX))
        return -EPROTO;
    *out = (int64_t)item.number;
    return signed_fits(field, *out) ? 0 : -EPROTO;
}

static int get_string(struct msgpack_cursor *cursor, const struct message_field *field,
                      struct message_string *out)
{
    struct msgpack_item item;
    if (msgpack_cursor_take(cursor, &item) < 0 || item.type != MSGPACK_ITEM_STRING ||
        item.number > field->most)
        return -EPROTO;
    *out = (struct message_string){ .bytes = item.bytes, .length = item.number };
    return content_fits(field, out) ? 0 : -EPROTO;
}

static int get_array(struct msgpack_cursor *cursor, uint64_t *count)
{
    struct msgpack_item item;
    if (msgpack_cursor_take(cursor, &item) < 0 || item.type != MSGPACK_ITEM_ARRAY)
        return -EPROTO;
    *count = item.number;
    return 0;
}

static int get_released_chunk(struct msgpack_cursor *cursor, struct released_chunk *out)
{
    uint64_t count;
    if (get_array(cursor, &count) < 0 || count != RELEASED_FIELDS)
        return -EPROTO;
    if (get_unsigned(cursor, &out->done_ns) < 0 || get_unsigned(cursor, &out->bytes) < 0)
        return -EPROTO;
    return get_unsigned(cursor, &out->sequence);
}

static int get_released(struct msgpack_cursor *cursor, struct chunk_update *out)
{
    uint64_t count;
    if (get_array(cursor, &count) < 0 || count > CHUNK_UPDATE_MAX_RELEASED)
        return -EPROTO;
    out->newly_released_count = (uint32_t)count;
    for (uint64_t i = 0; i < count; i++) {
        int error = get_released_chunk(cursor, &out->newly_released[i]);
        if (error < 0)
            return error;
    }
    return 0;
}

static int get_field(struct msgpack_cursor *cursor, const struct message_field *field,
                     void *message)
{
    void *value = (char *)message + field->offset;
    switch (field->type) {
    case FIELD_VERSION:
    case FIELD_UNSIGNED:
    case FIELD_BITS:
        return get_bounded(cursor, field, value);
    case FIELD_UNSIGNED_32:
        return get_bounded_32(cursor, field, value);
    case FIELD_SIGNED:
        return get_signed(cursor, field, value);
    case FIELD_BYTES:
    case FIELD_TEXT:
    case FIELD_STRINGS:
        return get_string(cursor, field, value);
    case FIELD_RELEASED:
        return get_released(cursor, value);
    }
    return -EPROTO;
}

static bool is_foreign_version(const struct message_field *field, const void *message)
{
    return field->type == FIELD_VERSION &&
           !protocol_version_is_understood(read_version(field, message));
}

int message_fields_get(const struct message_schema *schema, const uint8_t *payload, size_t bytes,
                       void *message)
{
    struct msgpack_cursor cursor = { .next = payload, .end = payload + bytes };
    uint64_t count, kind;
    if (get_array(&cursor, &count) < 0 || get_unsigned(&cursor, &kind) < 0)
        return -EPROTO;

    memset(message, 0, schema->struct_bytes);
    const size_t known = 1 + schema->field_count;
    for (size_t i = 0; i < schema->field_count; i++) {
        if (i >= schema->count_in_6_0 && 1 + i >= count)
            break; /* of an older minor version */
        int error = get_field(&cursor, &schema->fields[i], message);
        if (error < 0)
            return error;
        /* Another major version may have other fields: only the number is ours to read. */
        if (is_foreign_version(&schema->fields[i], message))
            return 0;
    }
    if (count < 1 + schema->count_in_6_0)
        return -EPROTO;
    /* What was appended to what is known here is skipped, so nobody looks at it. */
    if (count <= known && cursor.next != cursor.end)
        return -EPROTO;
    return schema->check == NULL || schema->check(message) == 0 ? 0 : -EPROTO;
}

int message_fields_peek_kind(const uint8_t *payload, size_t bytes)
{
    struct msgpack_cursor cursor = { .next = payload, .end = payload + bytes };
    uint64_t count, kind;
    if (get_array(&cursor, &count) < 0 || count == 0 || get_unsigned(&cursor, &kind) < 0)
        return -EPROTO;
    return kind > 0 && kind <= INT32_MAX ? (int)kind : -EPROTO;
}
