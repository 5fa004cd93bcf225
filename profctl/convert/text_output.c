#include "profctl/convert/text_output.h"

#include <errno.h>

static ssize_t write_to_sink(void *cookie, const char *bytes, size_t count)
{
    struct text_output *text = cookie;
    int error = text->error == 0 ? text->write(text->context, bytes, count) : text->error;

    if (error < 0)
        text->error = error;
    return error < 0 ? 0 : (ssize_t)count;
}

int text_output_open(struct text_output *text, json_sink_write write, void *context)
{
    *text = (struct text_output){ .write = write, .context = context };
    text->file = fopencookie(text, "w", (cookie_io_functions_t){ .write = write_to_sink });
    return text->file != NULL ? 0 : -ENOMEM;
}

void text_output_put(struct text_output *text, const char *name, size_t length, char separator)
{
    for (size_t i = 0; i < length; i++) {
        unsigned char byte = (unsigned char)name[i];
        if (separator != '\0' && byte == (unsigned char)separator)
            byte = ':';
        putc_unlocked(byte < ' ' ? ' ' : byte, text->file);
    }
}

int text_output_flush(struct text_output *text)
{
    if (fflush(text->file) != 0 && text->error == 0)
        text->error = -EIO;
    return text->error;
}

void text_output_close(struct text_output *text)
{
    if (text->file != NULL)
        (void)fclose(text->file); /* flushing told whether all was written */
    text->file = NULL;
}
