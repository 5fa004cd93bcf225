/* The single unwinder of this process, with the single list of its libraries, for samples, marker
 * stacks and allocations. What one of them learns, all of them know, and each library is reported
 * once.
 *
 * It is created when it is first needed, and kept for the life of the process. */
#ifndef PROFD_AGENT_PROCESS_UNWINDER_H
#define PROFD_AGENT_PROCESS_UNWINDER_H

#include "child-agent/unwinding/unwinder.h"

/* Returns the unwinder, which is created at the first call; NULL without memory. Any thread, also
 * in signal handlers. */
struct unwinder *process_unwinder(void);

/* Creates it, and reads the list of libraries unless that is up to date, because it may not be
 * possible later. Any thread; not in signal handlers. */
void process_unwinder_prepare(void);

/* Called when libraries were loaded or unloaded. Any thread, also inside dlopen and dlclose. */
void process_unwinder_modules_changed(void);

/* Asks the kernel about code that the loader does not know, if any was met. Opens a descriptor for
 * a moment: only in an agent thread, or the handler of the only thread. */
void process_unwinder_read_mappings(void);

/* Called in a forked child. All libraries are reported again, in the arena that it will have. */
void process_unwinder_after_fork_child(void);

#endif
