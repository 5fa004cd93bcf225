/* Where the files are that daemon/memory/kept_file.h writes: also for who needs no JSON. */
#ifndef PROFD_DAEMON_KEPT_PATH_H
#define PROFD_DAEMON_KEPT_PATH_H

#include <sys/un.h>

enum { KEPT_PATH_BYTES = sizeof(((struct sockaddr_un *)0)->sun_path) + 24 };

/* SOCKET_PATH.NAME, and ENDING behind it. 0 or -ENAMETOOLONG. */
int kept_path_make(const char *socket_path, const char *name, const char *ending,
                   char out[KEPT_PATH_BYTES]);

/* The good end of the file NAME. */
void kept_path_remove(const char *socket_path, const char *name);

#endif
