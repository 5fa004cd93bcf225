/* The list of modules of this very process, and what it told. */
#ifndef TESTS_UNIT_MODULES_SCENE_H
#define TESTS_UNIT_MODULES_SCENE_H

#include <check.h>
#include <string.h>

#include "child-agent/unwinding/modules.h"

static struct module_map *map;
static struct {
    int added, removed;
    char last_added[256], last_removed[256];
} seen;

static void on_added(const struct module *module, void *context)
{
    ck_assert_ptr_eq(context, &seen);
    seen.added++;
    strncpy(seen.last_added, module->path, sizeof(seen.last_added) - 1);
}

static void on_removed(const struct module *module, void *context)
{
    ck_assert_ptr_eq(context, &seen);
    seen.removed++;
    strncpy(seen.last_removed, module->path, sizeof(seen.last_removed) - 1);
}

static void setup(void)
{
    const struct module_events events = { .added = on_added,
                                          .removed = on_removed,
                                          .context = &seen };
    memset(&seen, 0, sizeof(seen));
    ck_assert_int_eq(module_map_create(&events, &map), 0);
}

static void teardown(void)
{
    module_map_destroy(map);
}

static const struct module *module_of(const void *address)
{
    return module_map_find(map, (uint64_t)(uintptr_t)address);
}

#endif
