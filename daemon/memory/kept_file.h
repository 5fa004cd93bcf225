/* Small files beside the socket that a profd which is killed leaves for the next one.
 *
 * SOCKET.NAME, a JSON object, ours alone, replaced as a whole. Each has a member "boot": in another
 * boot of the system it means nothing. kept_path_remove() removes them. Loop thread. */
#ifndef PROFD_DAEMON_KEPT_FILE_H
#define PROFD_DAEMON_KEPT_FILE_H

#include <cjson/cJSON.h>
#include <stdint.h>

/* Replaces the file with DOCUMENT, to which "boot" is added. Negative errno: the old one stays. */
int kept_file_write(const char *socket_path, const char *name, cJSON *document);

/* The document in *OUT, freed with cJSON_Delete(). -ENOENT without a file of this boot; -EPROTO
 * when it is damaged, -EPERM when it is not ours; errors of open and read. */
int kept_file_read(const char *socket_path, const char *name, cJSON **out);

/* Numbers of 64 bits, which JSON's own cannot hold: as strings. -EPROTO when it is none. */
void kept_add_number(cJSON *object, const char *name, uint64_t number);
int kept_get_number(const cJSON *object, const char *name, uint64_t *out);

#endif
