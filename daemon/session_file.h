/* What a profd that is killed leaves for the next one at the same socket: its session.
 *
 * Written anew at every change. A session that was on when profd was killed is on again in the
 * profd that is started next, with the same generation, so that agents that record meanwhile simply
 * go on. Loop thread. */
#ifndef PROFD_DAEMON_SESSION_FILE_H
#define PROFD_DAEMON_SESSION_FILE_H

#include <cjson/cJSON.h>

#include "daemon/session.h"

#define SESSION_FILE_NAME "session" /* SOCKET.session */

/* As kept_file_write() and kept_file_read(). What was under way is over: the session read is ACTIVE
 * or PAUSED, or IDLE with its generation. */
int session_file_write(const char *socket_path, const struct session *session);
int session_file_read(const char *socket_path, struct session *session);
void session_file_remove(const char *socket_path);

/* The document, freed with cJSON_Delete(). And back: 0 or -EPROTO. Pure. */
cJSON *session_document_make(const struct session *session);
int session_document_read(const cJSON *document, struct session *session);

#endif
