#include "profctl/json_sinks.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "json/mapped_array.h"

int json_sink_file(void *context, const char *bytes, size_t n)
{
    errno = 0;
    if (fwrite(bytes, 1, n, context) == n)
        return 0;
    return errno != 0 ? -errno : -EIO;
}

int json_sink_memory(void *context, const char *bytes, size_t n)
{
    struct mapped_array *text = context;

    if (n == 0)
        return 0;
    if (mapped_array_reserve(text, text->count + n, 1) < 0)
        return -ENOMEM;
    memcpy((char *)text->items + text->count, bytes, n);
    text->count += n;
    return 0;
}

int json_sink_nowhere(void *context, const char *bytes, size_t n)
{
    (void)context;
    (void)bytes;
    (void)n;
    return 0;
}
