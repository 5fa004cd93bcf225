#include "child-agent/unwinding/call_frame_info.h"

#include <errno.h>
#include <string.h>

#include "child-agent/unwinding/frame_reader.h"

/* --- .eh_frame_hdr --- */

int frame_header_locate(const uint8_t *header, size_t bytes, uint64_t header_address,
                        uint64_t *frames_address)
{
    struct frame_reader reader = { .bytes = header, .count = bytes, .address = header_address };
    uint64_t version = frame_read_unsigned(&reader, 1);
    uint8_t encoding = (uint8_t)frame_read_unsigned(&reader, 1);
    frame_reader_has(&reader, 2);
    if (reader.error != 0 || version != 1 || encoding == POINTER_OMITTED)
        return -EINVAL;
    reader.offset += 2;
    *frames_address = frame_read_pointer(&reader, encoding, header_address);
    return reader.error == 0 ? 0 : -EINVAL;
}

int frame_header_table(const uint8_t *header, size_t bytes, uint64_t header_address,
                       size_t *table_offset, size_t *count)
{
    struct frame_reader reader = { .bytes = header, .count = bytes, .address = header_address };
    uint64_t version = frame_read_unsigned(&reader, 1);
    uint8_t pointer_encoding = (uint8_t)frame_read_unsigned(&reader, 1);
    uint8_t count_encoding = (uint8_t)frame_read_unsigned(&reader, 1);
    uint8_t table_encoding = (uint8_t)frame_read_unsigned(&reader, 1);
    if (reader.error != 0 || version != 1 || pointer_encoding == POINTER_OMITTED ||
        count_encoding == POINTER_OMITTED ||
        table_encoding != (POINTER_RELATIVE_TO_HEADER | POINTER_SDATA4))
        return -ENOENT;
    frame_read_pointer(&reader, pointer_encoding, header_address);
    uint64_t entries = frame_read_pointer(&reader, count_encoding, header_address);
    if (reader.error != 0 || entries == 0 || entries > (bytes - reader.offset) / 8)
        return -ENOENT;
    *table_offset = reader.offset;
    *count = (size_t)entries;
    return 0;
}

static int32_t table_value(const uint8_t *table, size_t index)
{
    int32_t value;
    memcpy(&value, table + 4 * index, sizeof(value));
    return value;
}

/* The address of the FDE that may cover ADDRESS: that of the last entry not above it. */
static int find_description(const struct frame_tables *tables, uint64_t address, uint64_t *out)
{
    size_t offset = 0, count = 0;
    int error = frame_header_table(tables->header, tables->header_bytes, tables->header_address,
                                   &offset, &count);
    if (error != 0)
        return error;
    const uint8_t *table = tables->header + offset;
    int64_t wanted = (int64_t)(address - tables->header_address);
    size_t low = 0, high = count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (table_value(table, 2 * middle) <= wanted)
            low = middle + 1;
        else
            high = middle;
    }
    if (low == 0)
        return -ENOENT;
    *out = tables->header_address + (uint64_t)(int64_t)table_value(table, 2 * (low - 1) + 1);
    return 0;
}

/* --- CIE and FDE --- */

/* A reader of the record (behind its length) that starts at ADDRESS. */
static int open_record(const struct frame_tables *tables, uint64_t address,
                       struct frame_reader *out)
{
    if (address - tables->frames_address >= tables->frames_bytes)
        return -EINVAL;
    struct frame_reader reader = { .bytes = tables->frames,
                                   .count = tables->frames_bytes,
                                   .offset = (size_t)(address - tables->frames_address),
                                   .address = tables->frames_address };
    uint64_t length = frame_read_unsigned(&reader, 4);
    if (length == 0xffffffff)
        return -ENOTSUP;
    if (!frame_reader_has(&reader, length))
        return -EINVAL;
    reader.count = reader.offset + (size_t)length;
    *out = reader;
    return 0;
}

static void read_augmentation(struct frame_reader *reader, const char *letters, size_t count,
                              struct common_information *cie)
{
    struct frame_expression data = frame_read_block(reader);
    if (reader->error != 0)
        return;
    struct frame_reader values = *reader;
    values.offset = (size_t)(data.bytes - values.bytes);
    values.count = values.offset + data.count;
    for (size_t i = 0; i < count; i++) {
        switch (letters[i]) {
        case 'R':
            cie->pointer_encoding = (uint8_t)frame_read_unsigned(&values, 1);
            break;
        case 'L':
            frame_read_unsigned(&values, 1);
            break;
        case 'P':
            /* Only skipped: what it points to, directly or not, is of no interest. */
            frame_read_pointer_value(&values, frame_read_unsigned(&values, 1) & POINTER_FORMAT);
            break;
        case 'S':
            cie->is_signal_frame = true;
            break;
        default:
            frame_reader_fail(reader, -ENOTSUP);
        }
    }
    if (values.error != 0)
        frame_reader_fail(reader, values.error);
}

static int read_common_information(const struct frame_tables *tables, uint64_t address,
                                   struct common_information *out)
{
    struct frame_reader reader;
    int error = open_record(tables, address, &reader);
    if (error != 0)
        return error;
    memset(out, 0, sizeof(*out));
    uint64_t id = frame_read_unsigned(&reader, 4);
    uint64_t version = frame_read_unsigned(&reader, 1);
    if (reader.error != 0 || id != 0)
        return -EINVAL;
    if (version != 1 && version != 3)
        return -ENOTSUP;
    const char *letters = (const char *)reader.bytes + reader.offset;
    size_t count = strnlen(letters, reader.count - reader.offset);
    if (!frame_reader_has(&reader, count + 1))
        return -EINVAL;
    reader.offset += count + 1;
    out->code_alignment = frame_read_uleb128(&reader);
    out->data_alignment = frame_read_sleb128(&reader);
    out->return_register =
        version == 1 ? frame_read_unsigned(&reader, 1) : frame_read_uleb128(&reader);
    out->has_augmentation = count > 0 && letters[0] == 'z';
    if (out->has_augmentation)
        read_augmentation(&reader, letters + 1, count - 1, out);
    else if (count > 0)
        return -ENOTSUP;
    out->operations = reader;
    return reader.error;
}

/* The description (FDE) at ADDRESS, and the common information that it names. */
static int read_description(const struct frame_tables *tables, uint64_t address,
                            struct common_information *cie, struct frame_description *out)
{
    struct frame_reader reader;
    int error = open_record(tables, address, &reader);
    if (error != 0)
        return error;
    uint64_t cie_field = reader.address + reader.offset;
    uint64_t cie_distance = frame_read_unsigned(&reader, 4);
    if (reader.error != 0 || cie_distance == 0)
        return -EINVAL;
    error = read_common_information(tables, cie_field - cie_distance, cie);
    if (error != 0)
        return error;
    out->header_address = tables->header_address;
    out->start = frame_read_pointer(&reader, cie->pointer_encoding, tables->header_address);
    out->bytes = frame_read_pointer_value(&reader, cie->pointer_encoding & POINTER_FORMAT);
    if (cie->has_augmentation)
        frame_read_block(&reader);
    out->operations = reader;
    return reader.error;
}

/* The description that covers ADDRESS. */
static int describe_address(const struct frame_tables *tables, uint64_t address,
                            struct common_information *cie, struct frame_description *out)
{
    uint64_t fde_address = 0;
    int error = find_description(tables, address, &fde_address);
    if (error == 0)
        error = read_description(tables, fde_address, cie, out);
    if (error != 0)
        return error;
    return address - out->start < out->bytes ? 0 : -ENOENT;
}

int frame_tables_find_row(const struct frame_tables *tables, uint64_t address, uint32_t other,
                          struct frame_row *out)
{
    struct common_information cie;
    struct frame_description fde;
    int error = describe_address(tables, address, &cie, &fde);
    return error == 0 ? frame_operations_run(&cie, &fde, address, other, out) : error;
}

int frame_tables_find_function(const struct frame_tables *tables, uint64_t address, uint64_t *start,
                               uint64_t *bytes)
{
    struct common_information cie;
    struct frame_description fde;
    int error = describe_address(tables, address, &cie, &fde);
    if (error != 0)
        return error;
    *start = fde.start;
    *bytes = fde.bytes;
    return 0;
}
