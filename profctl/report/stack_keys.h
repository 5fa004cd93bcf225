/* What each stack of a thread counts for in a table of functions, source lines or labels: a name.
 * One thread. */
#ifndef PROFD_PROFCTL_STACK_KEYS_H
#define PROFD_PROFCTL_STACK_KEYS_H

#include <stdbool.h>
#include <stdint.h>

#include "json/mapped_array.h"
#include "json/unique_strings.h"
#include "profctl/convert/thread_stacks.h"
#include "profctl/report/report_by.h"

/* What is shown where a thread was in no label. */
extern const char stack_keys_no_label[];

/* Returns whether NAME is that of a label rather than of code: it tells neither library nor file,
 * and is no address. Pure. */
bool stack_keys_is_label(const char *name, size_t length);

/* Fills KEYS (uint32_t), for each stack of THREAD, which STACKS has taken, with the name in NAMES
 * of what its last frame is: a function, a function's line, or a label. UNIQUE_NONE: that frame is
 * no label. BY is one of those three. Returns 0 or -ENOMEM. */
int stack_keys_find(const struct thread_stacks *stacks, const struct profile_thread *thread,
                    enum report_by by, struct unique_strings *names, struct mapped_array *keys);

#endif
