/* The one unwinder of this process, with the one list of its libraries: for samples, marker stacks
 * and allocations alike. What one of them learnt, all know; each library is told of once.
 *
 * Made when it is first wanted, and kept for the life of the process. */
#ifndef PROFD_AGENT_PROCESS_UNWINDER_H
#define PROFD_AGENT_PROCESS_UNWINDER_H

#include "child-agent/unwinding/unwinder.h"

/* The unwinder, made when it is first asked for; NULL without memory. Any thread, also in signal
 * handlers. */
struct unwinder *process_unwinder(void);

/* Makes it, and reads the list of libraries if that is not known as it is: afterwards it may not be
 * possible. Any thread, not in signal handlers. */
void process_unwinder_prepare(void);

/* Libraries came or went. Any thread, also inside dlopen and dlclose. */
void process_unwinder_modules_changed(void);

/* Asks the kernel for code that the loader knows nothing of, if such was met. It opens a descriptor
 * for a moment: for a thread of the agent, or for the handler of the only thread. */
void process_unwinder_read_mappings(void);

/* In a forked child: all libraries are told of anew, in the arena that it will have. */
void process_unwinder_after_fork_child(void);

#endif
