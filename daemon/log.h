/* Lines on standard error for the person who runs profd: "profd: …". Where that is systemd's
 * journal, with the level as the line's priority, and the process that it is about as
 * PROFD_PROCESS.
 *
 * A severity is a verb with a fixed meaning. Nothing that a child or a client sends ends profd, so
 * there is no fatal here; main() prints why it cannot start. Any thread. */
#ifndef PROFD_DAEMON_LOG_H
#define PROFD_DAEMON_LOG_H

#include <stdbool.h>
#include <sys/types.h>

#include "daemon/log_gate.h"

#define LOG_LEVELS(X)                                                                              \
    X(ERROR, 0, "error") /* profd cannot do what it was told to do */                              \
    X(WARN, 1, "warn")   /* something is incomplete or was refused */                              \
    X(INFO, 2, "info")   /* what happens: sessions, captures, commands */                          \
    X(DEBUG, 3, "debug") /* every child that comes and goes */

enum log_level {
#define X(name, number, text) LOG_##name = number,
    LOG_LEVELS(X)
#undef X
};

/* 0 with *OUT set, or -EINVAL for a name that is none. */
int log_level_parse(const char *text, enum log_level *out);

/* Before any thread is started. The start is LOG_INFO. */
void log_set_level(enum log_level level);

/* Also before any thread: lines go to the journal, with fields, when standard error does. */
void log_find_journal(void);

/* One line; a newline is added. Control characters that came from outside are shown as '?'. PID is
 * the process that it is about; 0: none. */
void log_line(enum log_level level, pid_t pid, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* A warning about PID, one process of maybe thousands. Of each place in the source that warns so, a
 * few lines in a second go through; how many did not is told with the next one. Loop thread. */
#define log_warn_of_many(pid, ...)                                                                 \
    do {                                                                                           \
        static struct log_gate log_gate_;                                                          \
        if (log_may_go_through(&log_gate_))                                                        \
            log_line(LOG_WARN, pid, __VA_ARGS__);                                                  \
    } while (0)
bool log_may_go_through(struct log_gate *gate);

#define log_error(...) log_line(LOG_ERROR, 0, __VA_ARGS__)
#define log_warn(...)  log_line(LOG_WARN, 0, __VA_ARGS__)
#define log_info(...)  log_line(LOG_INFO, 0, __VA_ARGS__)
#define log_debug(...) log_line(LOG_DEBUG, 0, __VA_ARGS__)

/* About the process PID. */
#define log_warn_of(pid, ...)  log_line(LOG_WARN, pid, __VA_ARGS__)
#define log_info_of(pid, ...)  log_line(LOG_INFO, pid, __VA_ARGS__)
#define log_debug_of(pid, ...) log_line(LOG_DEBUG, pid, __VA_ARGS__)

#endif
