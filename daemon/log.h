/* Lines on standard error for the person who runs profd: "profd: …". If standard error is systemd's
 * journal, a line has the level as its priority, and the process that it is about as PROFD_PROCESS.
 *
 * Each level has a fixed meaning. There is no fatal level, since nothing that a child or a client
 * sends ends profd; main() prints why profd cannot start. Any thread. */
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

/* Returns 0 with *OUT set, or -EINVAL if TEXT is not the name of a level. */
int log_level_parse(const char *text, enum log_level *out);

/* To be called before any thread is started. The default is LOG_INFO. */
void log_set_level(enum log_level level);

/* From now on, lines go to the journal with their fields if standard error is the journal. Also to
 * be called before any thread is started. */
void log_find_journal(void);

/* Writes one line; a newline is added. Control characters in it are shown as '?'. PID is the
 * process that the line is about; 0: none. */
void log_line(enum log_level level, pid_t pid, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* A warning about PID, of which there may be thousands like it. Each place in the source that uses
 * this lets a few lines a second through; the next line that goes through is preceded by the number
 * of those that did not. Loop thread. */
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
