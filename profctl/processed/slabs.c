#include "profctl/processed/slabs.h"

#include <endian.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "json/mapped_array.h"
#include "profctl/json_sinks.h"

enum {
    FORMAT_VERSION = 1,
    ALIGNMENT_BYTES = 8, /* of the widest numbers; all slabs of numbers begin at it */
    COPY_BYTES = 64 * 1024,
};

static const char magic[8] = "\xDC\xDFJSLB\x01";

/* What the file begins with; behind it the table. All of both is little-endian. */
struct file_header {
    char magic[sizeof(magic)];
    uint32_t version, slab_count, root;
};

struct table_entry {
    uint32_t type, offset, bytes;
};

struct slab {
    enum slab_type type;
    uint64_t offset, bytes; /* in its file */
};

struct slabs {
    struct failure_latch *latch;
    json_sink_write write; /* takes the file */
    void *context;
    FILE *numbers, *texts;
    uint64_t number_bytes, text_bytes; /* of those files */
    struct mapped_array all;           /* struct slab */
    uint32_t open_numbers, open_json;  /* the slabs at hand */
    struct json_writer json;           /* of the latter */
};

int slabs_create(struct failure_latch *latch, json_sink_write write, void *context,
                 struct slabs **out)
{
    struct slabs *slabs = calloc(1, sizeof(*slabs));

    if (slabs == NULL)
        return -ENOMEM;
    slabs->latch = latch;
    slabs->write = write;
    slabs->context = context;
    slabs->numbers = tmpfile();
    slabs->texts = slabs->numbers != NULL ? tmpfile() : NULL;
    if (slabs->texts == NULL) {
        int error = -errno;
        slabs_destroy(slabs);
        return error;
    }
    *out = slabs;
    return 0;
}

void slabs_destroy(struct slabs *slabs)
{
    if (slabs == NULL)
        return;
    json_writer_fini(&slabs->json);
    if (slabs->numbers != NULL)
        fclose(slabs->numbers);
    if (slabs->texts != NULL)
        fclose(slabs->texts);
    mapped_array_free(&slabs->all);
    free(slabs);
}

static struct slab *slab_at(const struct slabs *slabs, uint32_t index)
{
    return (struct slab *)slabs->all.items + index;
}

/* The number of a new slab; without memory 0, and the failure is latched. */
static uint32_t add_slab(struct slabs *slabs, enum slab_type type, uint64_t offset)
{
    struct slab *slab = mapped_array_push(&slabs->all, sizeof(*slab));

    if (slab == NULL) {
        failure_latch_set(slabs->latch, -ENOMEM);
        return 0;
    }
    *slab = (struct slab){ .type = type, .offset = offset };
    return (uint32_t)slabs->all.count - 1;
}

static void put_bytes(struct slabs *slabs, const void *bytes, size_t count)
{
    if (failure_latch_failed(slabs->latch))
        return;
    failure_latch_set(slabs->latch, json_sink_file(slabs->numbers, bytes, count));
    slabs->number_bytes += count;
}

uint32_t slabs_start_numbers(struct slabs *slabs, enum slab_type type)
{
    slabs->open_numbers = add_slab(slabs, type, slabs->number_bytes);
    return slabs->open_numbers;
}

void slabs_put_number(struct slabs *slabs, double value)
{
    uint64_t bits;
    uint32_t word;
    uint8_t byte;

    if (failure_latch_failed(slabs->latch))
        return;
    switch (slab_at(slabs, slabs->open_numbers)->type) {
    case SLAB_UINT8:
        byte = (uint8_t)value;
        put_bytes(slabs, &byte, sizeof(byte));
        return;
    case SLAB_INT32:
        word = htole32((uint32_t)(int32_t)value);
        put_bytes(slabs, &word, sizeof(word));
        return;
    case SLAB_UINT32:
        word = htole32((uint32_t)value);
        put_bytes(slabs, &word, sizeof(word));
        return;
    case SLAB_FLOAT64:
        memcpy(&bits, &value, sizeof(bits));
        bits = htole64(bits);
        put_bytes(slabs, &bits, sizeof(bits));
        return;
    case SLAB_JSON:
        return;
    }
}

static uint64_t aligned_offset(uint64_t offset)
{
    return (offset + ALIGNMENT_BYTES - 1) / ALIGNMENT_BYTES * ALIGNMENT_BYTES;
}

void slabs_end_numbers(struct slabs *slabs)
{
    static const char padding[ALIGNMENT_BYTES];

    if (failure_latch_failed(slabs->latch))
        return;
    struct slab *slab = slab_at(slabs, slabs->open_numbers);
    slab->bytes = slabs->number_bytes - slab->offset;
    put_bytes(slabs, padding, aligned_offset(slabs->number_bytes) - slabs->number_bytes);
}

struct json_writer *slabs_start_json(struct slabs *slabs, uint32_t *slab)
{
    slabs->open_json = *slab = add_slab(slabs, SLAB_JSON, slabs->text_bytes);
    json_writer_init_sink(&slabs->json, json_sink_file, slabs->texts, slabs->latch);
    return &slabs->json;
}

void slabs_end_json(struct slabs *slabs)
{
    if (json_writer_flush(&slabs->json) == 0) {
        struct slab *slab = slab_at(slabs, slabs->open_json);
        slab->bytes = json_writer_bytes(&slabs->json);
        slabs->text_bytes += slab->bytes;
    }
    json_writer_fini(&slabs->json);
}

void slab_reference(struct json_writer *writer, uint32_t slab)
{
    json_start_object(writer);
    json_u64_property(writer, "$s", slab);
    json_end_object(writer);
}

/* The file: header, table, root, numbers, other JSON. */
struct file_plan {
    uint64_t root, numbers, texts, end; /* offsets */
    uint32_t slab_count;                /* with the root, which is the last one */
};

/* 0 or -EFBIG. */
static int plan_file(const struct slabs *slabs, uint64_t root_bytes, struct file_plan *plan)
{
    uint64_t count = slabs->all.count + 1;

    plan->root = sizeof(struct file_header) + count * sizeof(struct table_entry);
    plan->numbers = aligned_offset(plan->root + root_bytes);
    plan->texts = plan->numbers + slabs->number_bytes;
    plan->end = plan->texts + slabs->text_bytes;
    plan->slab_count = (uint32_t)count;
    return plan->end <= UINT32_MAX ? 0 : -EFBIG;
}

static int write_bytes(const struct slabs *slabs, const void *bytes, size_t count)
{
    return slabs->write(slabs->context, bytes, count);
}

static int write_entry(const struct slabs *slabs, enum slab_type type, uint64_t offset,
                       uint64_t bytes)
{
    const struct table_entry entry = { htole32(type), htole32((uint32_t)offset),
                                       htole32((uint32_t)bytes) };

    return write_bytes(slabs, &entry, sizeof(entry));
}

static int write_table(const struct slabs *slabs, const struct file_plan *plan, uint64_t root_bytes)
{
    struct file_header header = { .version = htole32(FORMAT_VERSION),
                                  .slab_count = htole32(plan->slab_count),
                                  .root = htole32(plan->slab_count - 1) };

    memcpy(header.magic, magic, sizeof(magic));
    int error = write_bytes(slabs, &header, sizeof(header));
    for (uint32_t i = 0; error == 0 && i < slabs->all.count; i++) {
        const struct slab *slab = slab_at(slabs, i);
        uint64_t start = slab->type == SLAB_JSON ? plan->texts : plan->numbers;
        error = write_entry(slabs, slab->type, start + slab->offset, slab->bytes);
    }
    return error == 0 ? write_entry(slabs, SLAB_JSON, plan->root, root_bytes) : error;
}

static int write_root(const struct slabs *slabs, const struct file_plan *plan,
                      const struct json_writer *root)
{
    static const char padding[ALIGNMENT_BYTES];
    int error = json_writer_copy_out(root, slabs->write, slabs->context);
    size_t gap = plan->numbers - plan->root - json_writer_bytes(root);

    return error == 0 && gap > 0 ? write_bytes(slabs, padding, gap) : error;
}

static int copy_file(const struct slabs *slabs, FILE *file)
{
    char buffer[COPY_BYTES];
    size_t count;
    int error = 0;

    if (fseek(file, 0, SEEK_SET) != 0)
        return -errno;
    while (error == 0 && (count = fread(buffer, 1, sizeof(buffer), file)) > 0)
        error = write_bytes(slabs, buffer, count);
    return error == 0 && ferror(file) ? -EIO : error;
}

int slabs_write(struct slabs *slabs, const struct json_writer *root)
{
    uint64_t root_bytes = json_writer_bytes(root);
    struct file_plan plan;
    int error = failure_latch_error(slabs->latch);

    if (error == 0)
        error = plan_file(slabs, root_bytes, &plan);
    if (error == 0)
        error = write_table(slabs, &plan, root_bytes);
    if (error == 0)
        error = write_root(slabs, &plan, root);
    if (error == 0)
        error = copy_file(slabs, slabs->numbers);
    return error == 0 ? copy_file(slabs, slabs->texts) : error;
}
