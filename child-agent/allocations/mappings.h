/* What the program maps itself (feature "memory"): a counter of the anonymous memory that it has
 * mapped during the session and not unmapped. The data comes from the hooks of libprofd-malloc.so,
 * which do not see what the C library and the kernel map. Used by the code that starts and stops
 * sessions. */
#ifndef PROFD_AGENT_MAPPINGS_H
#define PROFD_AGENT_MAPPINGS_H

/* Starts counting from zero, or from what was inherited by a fork. Without the hooks' library there
 * is no such counter; any other obstacle is reported in the profile's log. */
void mappings_start(void);
void mappings_stop(void);

/* Called in a forked child, whose session starts with what its parent had mapped. */
void mappings_after_fork_child(void);

#endif
