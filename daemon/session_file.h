/* The session that a profd leaves, when it is killed, for the next one at the same socket.
 *
 * The file is rewritten at every change. A session that was on when profd was killed is on again in
 * the next profd, with the same generation, so that agents that have been recording in the meantime
 * simply continue. Loop thread. */
#ifndef PROFD_DAEMON_SESSION_FILE_H
#define PROFD_DAEMON_SESSION_FILE_H

#include <cjson/cJSON.h>

#include "daemon/session.h"

#define SESSION_FILE_NAME "session" /* SOCKET.session */

/* Like kept_file_write() and kept_file_read(). Moves that were under way are over: the session that
 * is read is ACTIVE or PAUSED, or IDLE with its generation. */
int session_file_write(const char *socket_path, const struct session *session);
int session_file_read(const char *socket_path, struct session *session);
void session_file_remove(const char *socket_path);

/* Converts a session to a document, which is freed with cJSON_Delete(), and back. Reading returns 0
 * or -EPROTO. Pure. */
cJSON *session_document_make(const struct session *session);
int session_document_read(const cJSON *document, struct session *session);

#endif
