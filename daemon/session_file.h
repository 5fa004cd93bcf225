/* What a profd that is killed leaves for the next one at the same socket: its session.
 *
 * A small JSON document beside the socket, SOCKET.session, written anew at every change of the
 * session. It is only for this boot of the system; a session that was on when profd was killed is
 * on again in the profd that is started next, with the same generation, so that agents that record
 * meanwhile simply go on. Loop thread; writes and reads files. */
#ifndef PROFD_DAEMON_SESSION_FILE_H
#define PROFD_DAEMON_SESSION_FILE_H

#include "daemon/session.h"

#define SESSION_FILE_SUFFIX ".session"

/* Replaces the file of the profd at SOCKET_PATH. Negative errno: the old one stays. */
int session_file_write(const char *socket_path, const struct session *session);

/* 0 with the session as it was (ACTIVE or PAUSED; IDLE with its generation). -ENOENT without a file
 * of this boot; -EPROTO when it is damaged, -EPERM when it is not ours. */
int session_file_read(const char *socket_path, struct session *session);

/* The good end. */
void session_file_remove(const char *socket_path);

/* The document as text, freed with free(); NULL: no memory. And back: 0, -EPROTO, or -ENOENT when
 * it is of another boot. Pure. */
char *session_document_make(const struct session *session, const char *boot);
int session_document_parse(const char *text, const char *boot, struct session *session);

#endif
