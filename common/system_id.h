/* Identifies the system to which a process id belongs: it means nothing in another pid namespace,
 * or after a reboot. */
#ifndef PROFD_COMMON_SYSTEM_ID_H
#define PROFD_COMMON_SYSTEM_ID_H

#include <stdint.h>

enum { BOOT_ID_BYTES = 40 };

/* Writes the kernel's id of this boot, terminated. Returns 0, or a negative errno, as without
 * /proc. */
int boot_id_read(char out[BOOT_ID_BYTES]);

/* The kernel's number for the pid namespace of the calling process; 0: not known. */
uint64_t pid_namespace(void);

/* The same for the children that the calling thread will have; 0: not known. */
uint64_t pid_namespace_of_children(void);

#endif
