/* Reads the numbers, pointers and blocks of call-frame information.
 *
 * The bytes may contain anything: every read is checked against their bounds. Pure functions. Any
 * thread. */
#ifndef PROFD_AGENT_FRAME_READER_H
#define PROFD_AGENT_FRAME_READER_H

#include <errno.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

/* A DWARF expression, inside the tables. */
struct frame_expression {
    const uint8_t *bytes;
    size_t count;
};

/* DW_EH_PE_*, as the ABI of Linux writes pointers: a format, and what they are relative to. */
enum pointer_encoding {
    POINTER_ABSOLUTE = 0x00,
    POINTER_ULEB128 = 0x01,
    POINTER_UDATA2 = 0x02,
    POINTER_UDATA4 = 0x03,
    POINTER_UDATA8 = 0x04,
    POINTER_SLEB128 = 0x09,
    POINTER_SDATA2 = 0x0a,
    POINTER_SDATA4 = 0x0b,
    POINTER_SDATA8 = 0x0c,
    POINTER_FORMAT = 0x0f,
    POINTER_RELATIVE_TO_ITSELF = 0x10,
    POINTER_RELATIVE_TO_HEADER = 0x30,
    POINTER_RELATION = 0x70,
    POINTER_OMITTED = 0xff,
};

/* A position in bytes that may not be what they claim. A read past the end gives 0 and sets the
 * error, which stays. */
struct frame_reader {
    const uint8_t *bytes;
    size_t count;
    size_t offset;
    uint64_t address; /* address of bytes[0] in the program */
    int error;
};

/* Sets ERROR, unless there is one already, and moves to the end, so that nothing more is read. */
static inline void frame_reader_fail(struct frame_reader *reader, int error)
{
    if (reader->error == 0)
        reader->error = error;
    reader->offset = reader->count;
}

static inline bool frame_reader_has(struct frame_reader *reader, uint64_t bytes)
{
    if (bytes <= reader->count - reader->offset)
        return true;
    frame_reader_fail(reader, -EINVAL);
    return false;
}

static inline uint64_t frame_read_unsigned(struct frame_reader *reader, size_t bytes)
{
    uint64_t value = 0;
    if (!frame_reader_has(reader, bytes))
        return 0;
    memcpy(&value, reader->bytes + reader->offset, bytes);
    reader->offset += bytes;
    return value;
}

static inline uint64_t frame_read_uleb128(struct frame_reader *reader)
{
    uint64_t value = 0;
    for (unsigned shift = 0; shift < 64; shift += 7) {
        uint64_t byte = frame_read_unsigned(reader, 1);
        value |= (byte & 0x7f) << shift;
        if (!(byte & 0x80))
            return value;
    }
    frame_reader_fail(reader, -EINVAL);
    return 0;
}

int64_t frame_read_sleb128(struct frame_reader *reader);

/* Reads a count and that many bytes; the result is a view of the bytes. */
struct frame_expression frame_read_block(struct frame_reader *reader);

/* Reads the value of a pointer of FORMAT, as it is stored. */
uint64_t frame_read_pointer_value(struct frame_reader *reader, uint8_t format);

/* Reads a pointer and returns its address in the program. Fails with -ENOTSUP if the pointer would
 * have to be followed, or is relative to something other than itself and the header. */
uint64_t frame_read_pointer(struct frame_reader *reader, uint8_t encoding, uint64_t header_address);

#endif
