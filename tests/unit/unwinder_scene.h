/* An unwinder of this very process, with snapshots for it to walk and libunwind's cursor to compare
 * it with. */
#ifndef TESTS_UNIT_UNWINDER_SCENE_H
#define TESTS_UNIT_UNWINDER_SCENE_H

#include <check.h>

#include "child-agent/unwinding/modules.h"
#include "child-agent/unwinding/unwinder.h"
#include "tests/reference/libunwind_cursor.h"
#include "tests/unit/take_snapshot.h"

#define OPAQUE __attribute__((noinline, noclone, unused, no_sanitize("address", "undefined")))

enum { MAX_FRAMES = 256 };

static struct module_map *modules;
static struct unwinder *unwinder;
static struct snapshot_copy copy; /* that snapshots are taken into */
static struct snapshot *const snapshot = &copy.snapshot;
static struct libunwind_cursor *libunwind;
static struct unwind_frame frames[MAX_FRAMES], reference[MAX_FRAMES];
static bool is_complete;

static void setup(void)
{
    ck_assert_int_eq(module_map_create(NULL, &modules), 0);
    ck_assert_int_eq(unwinder_create(modules, &unwinder), 0);
    ck_assert_int_eq(libunwind_cursor_create(modules, &libunwind), 0);
}

static void teardown(void)
{
    libunwind_cursor_destroy(libunwind);
    unwinder_destroy(unwinder);
    module_map_destroy(modules);
}

static size_t walk_stack(void)
{
    return unwinder_walk(unwinder, snapshot, 0, frames, MAX_FRAMES, &is_complete);
}

static inline void assert_same_as_reference(size_t count)
{
    size_t expected = libunwind_cursor_walk(libunwind, snapshot, reference, MAX_FRAMES);
    ck_assert_uint_eq(count, expected);
    for (size_t i = 0; i < count; i++) {
        ck_assert_uint_eq(frames[i].address, reference[i].address);
        ck_assert_uint_eq(frames[i].stack_address, reference[i].stack_address);
    }
}

#endif
