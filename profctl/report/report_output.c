#include "profctl/report/report_output.h"

#include <errno.h>

void report_put_text(const char *text, size_t length, FILE *out)
{
    for (size_t i = 0; i < length; i++)
        putc_unlocked((unsigned char)text[i] < ' ' || text[i] == 0x7f ? '?' : text[i], out);
}

void report_put_name(const struct unique_strings *names, uint32_t name, FILE *out)
{
    size_t length;
    const char *text = unique_strings_get(names, name, &length);

    report_put_text(text, length, out);
}

static int write_out(void *context, const char *bytes, size_t count)
{
    return fwrite(bytes, 1, count, context) == count ? 0 : -EIO;
}

void report_json_begin(struct report_json *json, FILE *out)
{
    failure_latch_init(&json->latch);
    json_writer_init_sink(&json->writer, write_out, out, &json->latch);
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
