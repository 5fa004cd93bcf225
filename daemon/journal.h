/* Lines for systemd's journal, with fields that people can ask it for.
 *
 * The journal takes a datagram of lines "FIELD=value" at its socket. libsystemd would wait there
 * for a journal that does not read, and so would profd: this does not. One object for the process;
 * any thread may send. */
#ifndef PROFD_DAEMON_JOURNAL_H
#define PROFD_DAEMON_JOURNAL_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/stat.h>
#include <sys/types.h>

#define JOURNAL_SOCKET "/run/systemd/journal/socket"

/* As syslog(3) has them. */
enum journal_priority {
    JOURNAL_ERROR = 3,
    JOURNAL_WARNING = 4,
    JOURNAL_INFO = 6,
    JOURNAL_DEBUG = 7,
};

/* Whether STREAM, the text of $JOURNAL_STREAM (NULL: not set), names the file of STATUS: what is
 * written there goes to the journal. Pure. */
bool journal_stream_is(const char *stream, const struct stat *status);

/* Whether this process' standard error goes to the journal. */
bool journal_is_standard_error(void);

/* A socket to send from, close-on-exec, or a negative errno. */
int journal_open(void);

/* Sends MESSAGE of BYTES, one line, from FD to the journal at PATH. PID is the process that it is
 * about, the field PROFD_PROCESS; 0: none. 0; -EAGAIN when the journal does not read; -ENOENT,
 * -ECONNREFUSED when there is none; -EMSGSIZE. Does not block. */
int journal_send(int fd, const char *path, enum journal_priority priority, pid_t pid,
                 const char *message, size_t bytes);

#endif
