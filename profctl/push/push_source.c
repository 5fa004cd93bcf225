#include "profctl/push/push_source.h"

#include <errno.h>

#include "profctl/clickhouse/row_binary.h"

static int read_text(struct row_reader *reader, struct push_text *out)
{
    return row_read_string(reader, &out->bytes, &out->length);
}

static int read_texts(struct row_reader *reader, struct push_text *out, size_t *count)
{
    uint64_t length;
    int error = row_read_length(reader, &length);

    if (error == 0 && length > LABELS_MAX)
        return -EPROTO;
    for (size_t i = 0; error == 0 && i < length; i++)
        error = read_text(reader, &out[i]);
    *count = error == 0 ? (size_t)length : 0;
    return error;
}

int push_source_read(const char *columns, size_t length, struct push_source *out)
{
    struct row_reader reader = { columns, columns + length };
    size_t values = 0;
    int error = 0;

    for (int i = 0; i < PUSH_FIELDS && error == 0; i++)
        error = read_text(&reader, &out->fields[i]);
    if (error == 0)
        error = read_texts(&reader, out->keys, &out->labels);
    if (error == 0)
        error = read_texts(&reader, out->values, &values);
    return error < 0 ? error : values == out->labels ? 0 : -EPROTO;
}
