/* Writes lines to systemd's journal, with fields that journalctl can select by.
 *
 * The journal takes datagrams of lines "FIELD=value" at its socket. libsystemd would block profd
 * while the journal does not read; this code does not block. Any thread may send. */
#ifndef PROFD_DAEMON_JOURNAL_H
#define PROFD_DAEMON_JOURNAL_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/stat.h>
#include <sys/types.h>

#define JOURNAL_SOCKET "/run/systemd/journal/socket"

/* The numbers of syslog(3). */
enum journal_priority {
    JOURNAL_ERROR = 3,
    JOURNAL_WARNING = 4,
    JOURNAL_INFO = 6,
    JOURNAL_DEBUG = 7,
};

/* Whether STREAM, the text of $JOURNAL_STREAM (NULL: not set), names the file of STATUS, so that
 * what is written to that file goes to the journal. Pure. */
bool journal_stream_is(const char *stream, const struct stat *status);

/* Whether the standard error of this process goes to the journal. */
bool journal_is_standard_error(void);

/* Returns a socket to send from, which is close-on-exec, or a negative errno. */
int journal_open(void);

/* Sends MESSAGE, one line of BYTES bytes, through FD to the journal at PATH. PID is the process
 * that the line is about, for the field PROFD_PROCESS; 0: none. Returns 0; -EAGAIN if the journal
 * is not reading; -ENOENT or -ECONNREFUSED if there is no journal; -EMSGSIZE if the line is too
 * long. Does not block. */
int journal_send(int fd, const char *path, enum journal_priority priority, pid_t pid,
                 const char *message, size_t bytes);

#endif
