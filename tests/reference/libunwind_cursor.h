/* The reference for tests and benchmarks of the unwinder: libunwind's remote cursor over the same
 * snapshot and the same tables.
 *
 * libunwind-x86_64 is loaded when it is first needed; where it is not installed, there is no
 * reference. One thread. */
#ifndef PROFD_TESTS_LIBUNWIND_CURSOR_H
#define PROFD_TESTS_LIBUNWIND_CURSOR_H

#include <stddef.h>

#include "child-agent/unwinding/modules.h"
#include "child-agent/unwinding/unwind_state.h"
#include "child-agent/unwinding/unwinder.h"

struct libunwind_cursor; /* opaque */

/* MODULES is borrowed. Nothing is loaded yet. -ENOMEM. */
int libunwind_cursor_create(struct module_map *modules, struct libunwind_cursor **out);
void libunwind_cursor_destroy(struct libunwind_cursor *cursor);

/* All of SNAPSHOT; 0 when libunwind is not there. */
size_t libunwind_cursor_walk(struct libunwind_cursor *cursor, const struct snapshot *snapshot,
                             struct unwind_frame *frames, size_t capacity);

#endif
