/* What the program maps itself (feature "memory"): a counter of the anonymous memory that it mapped
 * during the session and has not unmapped. It comes from the hooks of libprofd-malloc.so, which do
 * not see what the C library and the kernel map themselves. For the code that starts and stops
 * sessions. */
#ifndef PROFD_AGENT_MAPPINGS_H
#define PROFD_AGENT_MAPPINGS_H

/* Counts from nothing, or from what a fork brought. Without the hooks' library there is no such
 * counter; what else is in the way is said in the profile's log. */
void mappings_start(void);
void mappings_stop(void);

/* The child's session starts with what its parent had mapped. */
void mappings_after_fork_child(void);

#endif
