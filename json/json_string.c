/* Strings of a writer: escapes, and UTF-8 that is always valid. */
#include <string.h>

#include "json/json_format.h"
#include "json/json_writer_room.h"
#include "json/utf8.h"

/* True when all 8 bytes are ASCII that needs no escape. */
static bool is_plain(uint64_t word)
{
    const uint64_t ones = UINT64_C(0x0101010101010101);
    const uint64_t tops = UINT64_C(0x8080808080808080);
    uint64_t quotes = word ^ ones * '"';
    uint64_t backslashes = word ^ ones * '\\';
    uint64_t below_space = word - ones * 0x20;
    uint64_t found = word | below_space | (quotes - ones) | (backslashes - ones);
    return (found & tops) == 0;
}

static char *escape_control(char *out, uint8_t byte)
{
    static const char *const digits = "0123456789abcdef";
    const char *shorthand = memchr("\bb\ff\nn\rr\tt", byte, 10);
    *out++ = '\\';
    if (shorthand != NULL) {
        *out++ = shorthand[1];
        return out;
    }
    memcpy(out, "u00", 3);
    out[3] = digits[byte >> 4];
    out[4] = digits[byte & 15];
    return out + 5;
}

/* Copies one character from IN, of at least one byte; returns how many bytes it took. */
static size_t copy_character(char **out, const char *in, size_t length)
{
    uint8_t byte = (uint8_t)in[0];
    if (byte < 0x20) {
        *out = escape_control(*out, byte);
        return 1;
    }
    if (byte == '"' || byte == '\\')
        *(*out)++ = '\\';
    if (byte < 0x80) {
        *(*out)++ = in[0];
        return 1;
    }
    bool is_valid;
    size_t taken = utf8_sequence(in, length, &is_valid);
    memcpy(*out, is_valid ? in : "\xef\xbf\xbd", is_valid ? taken : 3);
    *out += is_valid ? taken : 3;
    return taken;
}

/* Copies the start of the string, at most as much as the room for one scalar holds. */
static size_t copy_some(struct json_writer *writer, const char *bytes, size_t length)
{
    char *out = json_room(writer);
    char *stop = out + JSON_SCALAR_MAX_BYTES - 8; /* the longest escape fits behind it */
    size_t done = 0;
    while (done < length && out < stop) {
        uint64_t word;
        if (length - done >= 8 && (memcpy(&word, bytes + done, 8), is_plain(word))) {
            memcpy(out, &word, 8);
            out += 8;
            done += 8;
        } else {
            done += copy_character(&out, bytes + done, length - done);
        }
    }
    json_wrote(writer, out);
    return done;
}

void json_string_bytes(struct json_writer *writer, const char *bytes, size_t length)
{
    char *out = json_value_room(writer);
    *out++ = '"';
    json_wrote(writer, out);
    while (length > 0) {
        size_t done = copy_some(writer, bytes, length);
        bytes += done;
        length -= done;
    }
    out = json_room(writer);
    *out++ = '"';
    json_wrote(writer, out);
}

void json_string(struct json_writer *writer, const char *text)
{
    json_string_bytes(writer, text, strlen(text));
}
