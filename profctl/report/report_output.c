#include "profctl/report/report_output.h"

#include <errno.h>
#include <string.h>

#include "profctl/json_sinks.h"
#include "profctl/printable.h"

static const char replacement[] = "\xef\xbf\xbd"; /* U+FFFD, in UTF-8 */

void report_put_text(const char *text, size_t length, FILE *out)
{
    while (length > 0) {
        enum printable_kind kind;
        size_t bytes = printable_step(text, length, &kind);

        if (kind == PRINTABLE_BROKEN)
            (void)fputs_unlocked(replacement, out);
        else if (kind == PRINTABLE_CONTROL)
            (void)putc_unlocked('?', out);
        else
            (void)fwrite_unlocked(text, 1, bytes, out);
        text += bytes;
        length -= bytes;
    }
}

void report_put_name(const struct unique_strings *names, uint32_t name, FILE *out)
{
    size_t length;
    const char *text = unique_strings_get(names, name, &length);

    report_put_text(text, length, out);
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
    int error = json_writer_flush(&json->writer);
    json_writer_fini(&json->writer);
    return error == 0 && putc('\n', out) == EOF ? -EIO : error;
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
