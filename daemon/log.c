#include "daemon/log.h"

#include <errno.h>
#include <inttypes.h>
#include <poll.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>
#include <uv.h>

#include "daemon/journal.h"

enum { LOG_LINE_BYTES = 1024 };

static const char log_prefix[] = "profd: ";
static enum log_level log_threshold = LOG_INFO;
static int journal_fd = -1; /* -1: standard error is no journal */

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

void log_find_journal(void)
{
    journal_fd = journal_is_standard_error() ? journal_open() : -1;
}

/* A reader that stopped must not stop profd. A pipe or terminal that polls as writable takes a
 * whole line. */
static bool has_reader(void)
{
    struct pollfd output = { .fd = STDERR_FILENO, .events = POLLOUT };
    return poll(&output, 1, 0) == 1 && (output.revents & POLLOUT) != 0;
}

/* One write, so that lines of threads and of the command don't mix. Nobody to tell if it fails. */
static void write_once(const char *line, size_t bytes)
{
    ssize_t written = write(STDERR_FILENO, line, bytes);
    (void)written;
}

static void write_or_drop(const char *line, size_t bytes)
{
    static uint64_t lost_lines;
    char gap[80];

    if (!has_reader()) {
        lost_lines++;
        return;
    }
    if (lost_lines > 0) {
        int length =
            snprintf(gap, sizeof(gap),
                     "profd: lost %" PRIu64 " lines of this log, which was not read\n", lost_lines);
        lost_lines = 0;
        write_once(gap, (size_t)length);
        if (!has_reader())
            return;
    }
    write_once(line, bytes);
}

/* LINE is "profd: …" and a newline. A journal that takes no datagram has standard error, too. */
static void write_line(enum log_level level, pid_t pid, const char *line, size_t bytes)
{
    static const enum journal_priority priorities[] = {
        [LOG_ERROR] = JOURNAL_ERROR,
        [LOG_WARN] = JOURNAL_WARNING,
        [LOG_INFO] = JOURNAL_INFO,
        [LOG_DEBUG] = JOURNAL_DEBUG,
    };

    if (journal_fd < 0 ||
        journal_send(journal_fd, JOURNAL_SOCKET, priorities[level], pid, line + strlen(log_prefix),
                     bytes - strlen(log_prefix) - 1) < 0)
        write_or_drop(line, bytes);
}

void log_line(enum log_level level, pid_t pid, const char *format, ...)
{
    if (level > log_threshold)
        return;

    char line[LOG_LINE_BYTES];
    size_t used = strlen(strcpy(line, log_prefix));
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
    write_line(level, pid, line, end);
}

bool log_may_go_through(struct log_gate *gate)
{
    uint64_t held_back;

    if (!log_gate_opens(gate, uv_hrtime(), &held_back))
        return false;
    if (held_back > 0)
        log_line(LOG_WARN, 0, "%" PRIu64 " more like the next one are not shown", held_back);
    return true;
}
