/* Small files beside the socket that profd, when it is killed, leaves for the next one.
 *
 * Each is called SOCKET.NAME, holds one JSON object, is accessible to profd's user only, and is
 * replaced as a whole. Its member "boot" names the boot of the system: after a reboot the file is
 * ignored. kept_path_remove() removes it. Loop thread. */
#ifndef PROFD_DAEMON_KEPT_FILE_H
#define PROFD_DAEMON_KEPT_FILE_H

#include <cjson/cJSON.h>
#include <stdint.h>

/* Replaces the file with DOCUMENT, to which "boot" is added. Returns 0, or a negative errno: then
 * the old file stays. */
int kept_file_write(const char *socket_path, const char *name, cJSON *document);

/* Reads the document into *OUT, to be freed with cJSON_Delete(). Returns 0; -ENOENT if there is no
 * file of this boot, -EPROTO if it is damaged, -EPERM if it is not ours; or errors of open and
 * read. */
int kept_file_read(const char *socket_path, const char *name, cJSON **out);

/* Adds and reads numbers of 64 bits, as strings, since cJSON's numbers cannot hold them. Reading
 * returns -EPROTO if the member is not such a number. */
void kept_add_number(cJSON *object, const char *name, uint64_t number);
int kept_get_number(const cJSON *object, const char *name, uint64_t *out);

#endif
