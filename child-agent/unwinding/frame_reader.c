#include "child-agent/unwinding/frame_reader.h"

int64_t frame_read_sleb128(struct frame_reader *reader)
{
    uint64_t value = 0;
    for (unsigned shift = 0; shift < 64;) {
        uint64_t byte = frame_read_unsigned(reader, 1);
        value |= (byte & 0x7f) << shift;
        shift += 7;
        if (byte & 0x80)
            continue;
        if ((byte & 0x40) && shift < 64)
            value |= ~(uint64_t)0 << shift;
        return (int64_t)value;
    }
    frame_reader_fail(reader, -EINVAL);
    return 0;
}

struct frame_expression frame_read_block(struct frame_reader *reader)
{
    struct frame_expression block = { NULL, 0 };
    uint64_t bytes = frame_read_uleb128(reader);
    if (!frame_reader_has(reader, bytes))
        return block;
    block.bytes = reader->bytes + reader->offset;
    block.count = (size_t)bytes;
    reader->offset += (size_t)bytes;
    return block;
}

uint64_t frame_read_pointer_value(struct frame_reader *reader, uint8_t format)
{
    switch (format) {
    case POINTER_ABSOLUTE:
    case POINTER_UDATA8:
    case POINTER_SDATA8:
        return frame_read_unsigned(reader, 8);
    case POINTER_UDATA2:
        return frame_read_unsigned(reader, 2);
    case POINTER_UDATA4:
        return frame_read_unsigned(reader, 4);
    case POINTER_SDATA2:
        return (uint64_t)(int16_t)frame_read_unsigned(reader, 2);
    case POINTER_SDATA4:
        return (uint64_t)(int32_t)frame_read_unsigned(reader, 4);
    case POINTER_ULEB128:
        return frame_read_uleb128(reader);
    case POINTER_SLEB128:
        return (uint64_t)frame_read_sleb128(reader);
    default:
        frame_reader_fail(reader, -ENOTSUP);
        return 0;
    }
}

uint64_t frame_read_pointer(struct frame_reader *reader, uint8_t encoding, uint64_t header_address)
{
    uint64_t own_address = reader->address + reader->offset;
    uint64_t value = frame_read_pointer_value(reader, encoding & POINTER_FORMAT);
    switch (encoding & ~POINTER_FORMAT) {
    case 0:
        return value;
    case POINTER_RELATIVE_TO_ITSELF:
        return own_address + value;
    case POINTER_RELATIVE_TO_HEADER:
        return header_address + value;
    default: /* indirect ones too: they would make us read the program's memory */
        frame_reader_fail(reader, -ENOTSUP);
        return 0;
    }
}
