/* How much the agent has mapped in the process by mmap(): in addresses, and of that in private
 * memory, which the kernel counts as data. Any thread, also in signal handlers. */
#ifndef PROFD_AGENT_OWN_MAPPINGS_H
#define PROFD_AGENT_OWN_MAPPINGS_H

#include <stdint.h>

uint64_t own_mappings_bytes(void);
uint64_t own_mappings_private_bytes(void);

#endif
