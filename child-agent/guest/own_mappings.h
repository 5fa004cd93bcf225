/* How much the agent has mapped in the process by mmap(): in addresses, and of that in private
 * memory, nearly all of which can be written, and so is data to the kernel. Any thread, also in
 * signal handlers. */
#ifndef PROFD_AGENT_OWN_MAPPINGS_H
#define PROFD_AGENT_OWN_MAPPINGS_H

#include <stdint.h>

uint64_t own_mappings_bytes(void);
uint64_t own_mappings_private_bytes(void);

/* Called in a forked child, which lacks what was not to be inherited (MADV_DONTFORK). */
void own_mappings_after_fork_child(void);

#endif
