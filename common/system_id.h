/* Which system a process id is of: it means nothing in another namespace, or after a boot. */
#ifndef PROFD_COMMON_SYSTEM_ID_H
#define PROFD_COMMON_SYSTEM_ID_H

#include <stdint.h>

enum { BOOT_ID_BYTES = 40 };

/* The kernel's name for this boot, terminated. 0, or a negative errno without /proc. */
int boot_id_read(char out[BOOT_ID_BYTES]);

/* The kernel's number for the calling process's namespace of process ids; 0: it cannot be told. */
uint64_t pid_namespace(void);

#endif
