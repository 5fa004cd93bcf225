/* What the dynamic loader has loaded, as a list of mappings.
 *
 * It is read from the loader's own list by calls that cannot fault: without the loader's lock,
 * which the interrupted code may hold, and without a descriptor. Also in signal handlers. The list
 * does not contain generated code; /proc/self/maps does (child-agent/unwinding/module_maps.h). */
#ifndef PROFD_AGENT_MODULE_LOADER_H
#define PROFD_AGENT_MODULE_LOADER_H

#include "child-agent/unwinding/module_maps.h"

/* Fills LIST. Returns 0; -ENOMEM; or -EAGAIN or -EFAULT if the loader's list is just changing, or
 * if the kernel does not allow reading. */
int module_loader_read(struct mapping_list *list);

/* Returns whether the loader has a library at ADDRESS, even if its list does not show it yet. Takes
 * no lock and makes no system call. False if the C library cannot tell. */
bool module_loader_has(uint64_t address);

#endif
