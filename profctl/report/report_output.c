#include "profctl/report/report_output.h"

#include <errno.h>
#include <stdbool.h>
#include <string.h>

#include "profctl/json_sinks.h"

/* Bytes of the control character that TEXT begins with: of ASCII, of C1 (U+0080 to U+009F), or one
 * that turns the direction of writing (U+202A to U+202E, U+2066 to U+2069). 0: it is none. */
static size_t control_length(const unsigned char *text, size_t length)
{
    if (text[0] < ' ' || text[0] == 0x7f)
        return 1;
    if (length >= 2 && text[0] == 0xc2 && text[1] >= 0x80 && text[1] <= 0x9f)
        return 2;
    if (length < 3 || text[0] != 0xe2)
        return 0;
    bool turns = (text[1] == 0x80 && text[2] >= 0xaa && text[2] <= 0xae) ||
                 (text[1] == 0x81 && text[2] >= 0xa6 && text[2] <= 0xa9);
    return turns ? 3 : 0;
}

void report_put_text(const char *text, size_t length, FILE *out)
{
    for (size_t i = 0; i < length;) {
        size_t control = control_length((const unsigned char *)text + i, length - i);
        putc_unlocked(control > 0 ? '?' : text[i], out);
        i += control > 0 ? control : 1;
    }
}

void report_put_name(const struct unique_strings *names, uint32_t name, FILE *out)
{
    size_t length;
    const char *text = unique_strings_get(names, name, &length);

    report_put_text(text, length, out);
}

int report_output_settle(FILE *out, int err, struct failure *failure)
{
    if (err == 0 && (fflush(out) != 0 || ferror(out)))
        err = errno != 0 ? -errno : -EIO;
    if (err == 0)
        return EXIT_CODE_SUCCESS;
    return (int)failure_set(failure, EXIT_CODE_FAILED, "cannot print the report: %s",
                            strerror(-err));
}

void report_json_begin(struct report_json *json, FILE *out)
{
    failure_latch_init(&json->latch);
    json_writer_init_sink(&json->writer, json_sink_file, out, &json->latch);
    json_start_object(&json->writer);
}

int report_json_end(struct report_json *json, FILE *out)
{
    json_end_object(&json->writer);
    int err = json_writer_flush(&json->writer);
    json_writer_fini(&json->writer);
    return err == 0 && putc('\n', out) == EOF ? -EIO : err;
}

void report_json_name(struct json_writer *writer, const char *member,
                      const struct unique_strings *names, uint32_t name)
{
    size_t length;

    json_name(writer, member);
    if (name == UNIQUE_NONE) {
        json_null(writer);
        return;
    }
    const char *text = unique_strings_get(names, name, &length);
    json_string_bytes(writer, text, length);
}
