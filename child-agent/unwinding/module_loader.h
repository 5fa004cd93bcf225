/* What the dynamic loader has loaded, as a list of mappings.
 *
 * Read from the loader's own list, by calls that cannot fault: without its lock, which the
 * interrupted code may hold, and without a descriptor. Also in signal handlers. It does not know
 * generated code; /proc/self/maps does (child-agent/unwinding/module_maps.h). */
#ifndef PROFD_AGENT_MODULE_LOADER_H
#define PROFD_AGENT_MODULE_LOADER_H

#include "child-agent/unwinding/module_maps.h"

/* Fills LIST. -ENOMEM; -EAGAIN or -EFAULT when the loader's list is changing at this moment, or
 * when the kernel lets nobody look. */
int module_loader_read(struct mapping_list *list);

/* Whether the loader has a library at ADDRESS, which its list may not show yet. Asks for no lock,
 * and makes no system call. False where the C library cannot tell. */
bool module_loader_has(uint64_t address);

#endif
