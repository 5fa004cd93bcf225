/* The paths of the files that daemon/memory/kept_file.h writes, for users that need no JSON. */
#ifndef PROFD_DAEMON_KEPT_PATH_H
#define PROFD_DAEMON_KEPT_PATH_H

#include <sys/un.h>

enum { KEPT_PATH_BYTES = sizeof(((struct sockaddr_un *)0)->sun_path) + 24 };

/* Writes SOCKET_PATH.NAME followed by ENDING to OUT. Returns 0 or -ENAMETOOLONG. */
int kept_path_make(const char *socket_path, const char *name, const char *ending,
                   char out[KEPT_PATH_BYTES]);

/* Removes the file NAME when profd ends normally. */
void kept_path_remove(const char *socket_path, const char *name);

#endif
