/* What the dynamic loader has loaded, as a list of mappings.
 *
 * Cheap: no system call, and nothing of /proc is touched, which would make the exit of a
 * short-lived process dearer. It does not know generated code; /proc/self/maps does
 * (child-agent/unwinding/module_maps.h). Sampler thread only. */
#ifndef PROFD_AGENT_MODULE_LOADER_H
#define PROFD_AGENT_MODULE_LOADER_H

#include "child-agent/unwinding/module_maps.h"

/* Fills LIST. -ENOMEM. Waits while another thread is adding a library to the loader's list. */
int module_loader_read(struct mapping_list *list);

#endif
