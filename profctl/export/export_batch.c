#include "profctl/export/export_batch.h"

#include <errno.h>
#include <string.h>
#include <xxhash.h>

#include "profctl/export/gzip_bytes.h"

static const char magic[8] = "profdbt1";

/* As it stands in the file, in front of the batch's bytes; little-endian. */
struct file_header {
    char magic[sizeof(magic)];
    uint32_t kind, first_minute_s, last_minute_s, reserved;
    uint64_t id, rows, bytes;
    uint64_t checksum; /* of header, this being 0, and bytes */
};
_Static_assert(sizeof(struct file_header) == 56, "no padding");

void export_batch_free(struct export_batch *batch)
{
    mapped_array_free(&batch->bytes);
}

int export_batch_pack(struct export_batch *batch, const void *body, size_t length)
{
    return gzip_bytes(body, length, &batch->bytes);
}

static uint64_t checksum_of(struct file_header header, const void *bytes)
{
    header.checksum = 0;
    return XXH3_64bits_withSeed(bytes, header.bytes, XXH3_64bits(&header, sizeof(header)));
}

int export_batch_put(const struct export_batch *batch, struct mapped_array *file)
{
    struct file_header header = {
        .kind = batch->kind,
        .first_minute_s = batch->first_minute_s,
        .last_minute_s = batch->last_minute_s,
        .id = batch->id,
        .rows = batch->rows,
        .bytes = batch->bytes.count,
    };
    int error = mapped_array_reserve(file, sizeof(header) + batch->bytes.count + 1, 1);

    if (error < 0)
        return error;
    memcpy(header.magic, magic, sizeof(magic));
    header.checksum = checksum_of(header, batch->bytes.items);
    memcpy(file->items, &header, sizeof(header));
    if (batch->bytes.count > 0)
        memcpy((char *)file->items + sizeof(header), batch->bytes.items, batch->bytes.count);
    file->count = sizeof(header) + batch->bytes.count;
    return 0;
}

int export_batch_get(const struct mapped_array *file, struct export_batch *batch)
{
    struct file_header header;
    const char *bytes = (const char *)file->items + sizeof(header);

    if (file->count < sizeof(header))
        return -EBADMSG;
    memcpy(&header, file->items, sizeof(header));
    if (memcmp(header.magic, magic, sizeof(magic)) != 0 ||
        header.bytes != file->count - sizeof(header) ||
        header.checksum != checksum_of(header, bytes))
        return -EBADMSG;
    int error = mapped_array_reserve(&batch->bytes, header.bytes + 1, 1);
    if (error < 0)
        return error;
    memcpy(batch->bytes.items, bytes, header.bytes);
    batch->bytes.count = header.bytes;
    batch->kind = (enum export_kind)header.kind;
    batch->id = header.id;
    batch->rows = header.rows;
    batch->first_minute_s = header.first_minute_s;
    batch->last_minute_s = header.last_minute_s;
    return 0;
}
