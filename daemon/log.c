#include "daemon/log.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

enum { LOG_LINE_BYTES = 1024 };

static enum log_level log_threshold = LOG_INFO;

int log_level_parse(const char *text, enum log_level *out)
{
    static const struct {
        const char *text;
        enum log_level level;
    } levels[] = {
#define X(name, number, text) { text, LOG_##name },
        LOG_LEVELS(X)
#undef X
    };

    for (size_t i = 0; i < sizeof(levels) / sizeof(levels[0]); i++) {
        if (strcmp(levels[i].text, text) == 0) {
            *out = levels[i].level;
            return 0;
        }
    }
    return -EINVAL;
}

void log_set_level(enum log_level level)
{
    log_threshold = level;
}

void log_line(enum log_level level, const char *format, ...)
{
    if (level > log_threshold)
        return;

    char line[LOG_LINE_BYTES] = "profd: ";
    size_t used = strlen(line);
    va_list arguments;
    va_start(arguments, format);
    int wanted = vsnprintf(line + used, sizeof(line) - used - 1, format, arguments);
    va_end(arguments);
    if (wanted < 0)
        return;

    size_t end = used + (size_t)wanted;
    if (end > sizeof(line) - 2)
        end = sizeof(line) - 2;
    for (size_t i = used; i < end; i++) {
        if ((unsigned char)line[i] < ' ' || line[i] == 0x7f)
            line[i] = '?';
    }
    line[end++] = '\n';
    /* One write, so that lines of threads and of the command don't mix. Nobody to tell if it fails.
     */
    ssize_t written = write(STDERR_FILENO, line, end);
    (void)written;
}
