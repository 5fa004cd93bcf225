#include "child-agent/unwinding/modules.h"

#include <errno.h>
#include <stdatomic.h>
#include <string.h>

#include "buffer/clock.h"
#include "child-agent/guest/pages.h"
#include "child-agent/unwinding/module_entry.h"
#include "child-agent/unwinding/module_list.h"
#include "child-agent/unwinding/module_loader.h"
#include "child-agent/unwinding/module_maps.h"
#include "child-agent/unwinding/module_paths.h"
#include "common/time_units.h"

/* For unknown addresses. Doubled as long as reading the list tells nothing new, as with generated
 * code. */
static const uint64_t REFRESH_INTERVAL_NS = 100 * NS_PER_MS;
static const uint64_t RETRY_INTERVAL_NS = 10 * NS_PER_MS;
static const uint64_t REFRESH_INTERVAL_MAX_NS = 800 * NS_PER_MS;

struct module_map {
    struct module_events events;
    struct module_list entries;
    struct module_list spare;           /* the next list is built here */
    struct mapping_list loaded;         /* what the dynamic loader knows */
    struct mapping_list mappings;       /* what the kernel knew when a thread of the agent asked */
    struct mapping_list spare_mappings; /* of that thread alone */
    /* An address was in no loaded library: generated code, perhaps. */
    _Atomic bool wants_mappings;
    struct module_paths paths;
    bool owes_all; /* modules are to be told of once more, to another listener */
    uint64_t generation;
    uint64_t refreshed_ns, refresh_interval_ns;
    bool has_failed;            /* at the latest attempt */
    bool missed_library;        /* the loader had one that was not read: it is changing its list */
    uint64_t mappings_read_ns;  /* of the agent's thread alone */
    _Atomic uint64_t announced; /* changes told of by other threads; 1: the first reading */
    _Atomic uint64_t announced_seen;
    _Atomic uint64_t announced_ns; /* when the latest one happened; 0: not known */
    const void *_Atomic owner;     /* who entered: an address of the thread's own; NULL: nobody */
};

/* --- Reading the list anew --- */

static size_t remove_unlisted(struct module_map *map)
{
    size_t removed = 0;
    for (size_t i = 0; i < map->entries.count; i++) {
        struct module_entry *entry = &map->entries.at[i];
        if (entry->is_listed)
            continue;
        removed++;
        if (map->events.removed != NULL)
            map->events.removed(&entry->module, map->events.context);
        module_entry_forget_tables(entry);
    }
    return removed;
}

static void tell_added(struct module_map *map)
{
    for (size_t i = 0; i < map->entries.count; i++) {
        struct module_entry *entry = &map->entries.at[i];
        if ((map->owes_all || !entry->is_listed) && map->events.added != NULL)
            map->events.added(&entry->module, map->events.context);
    }
    map->owes_all = false;
}

/* Makes the list what the loader and the kernel know. */
static void change_list(struct module_map *map)
{
    size_t added = 0;
    const struct mapped_modules mapped = { &map->loaded, &map->mappings };
    if (module_list_build(&map->entries, &mapped, &map->paths, &map->spare, &added) != 0)
        return;
    size_t removed = remove_unlisted(map);
    struct module_list old = map->entries;
    map->entries = map->spare;
    map->spare = old;
    tell_added(map);
    map->generation += added != 0 || removed != 0;
}

bool module_map_is_behind(const struct module_map *map)
{
    return atomic_load_explicit(&map->announced, memory_order_acquire) !=
           atomic_load_explicit(&map->announced_seen, memory_order_relaxed);
}

/* When what is read now has changed: as somebody told, or just now. */
static uint64_t time_of_change(const struct module_map *map)
{
    uint64_t announced_ns = atomic_load_explicit(&map->announced_ns, memory_order_relaxed);
    return module_map_is_behind(map) && announced_ns != 0 ? announced_ns : clock_monotonic_ns();
}

static bool begin_events(const struct module_map *map)
{
    return map->events.begin == NULL || map->events.begin(time_of_change(map), map->events.context);
}

/* Whether the list changed. What cannot be read leaves it as it was, until the next attempt. */
static bool refresh_list(struct module_map *map)
{
    uint64_t before = map->generation;
    uint64_t announced = atomic_load_explicit(&map->announced, memory_order_acquire);
    map->refreshed_ns = clock_read_ns(CLOCK_MONOTONIC_COARSE);
    map->has_failed = module_loader_read(&map->loaded) != 0;
    if (map->has_failed || !begin_events(map))
        return false;
    atomic_store_explicit(&map->announced_seen, announced, memory_order_relaxed);
    change_list(map);
    if (map->events.end != NULL)
        map->events.end(map->events.context);
    return map->generation != before;
}

static void forget_mappings(struct module_map *map)
{
    struct mapping_list *mappings = &map->mappings;
    if (mappings->image_count + mappings->code_count + mappings->executable_count == 0)
        return;
    mappings->image_count = mappings->code_count = mappings->executable_count = 0;
    atomic_store_explicit(&map->wants_mappings, true, memory_order_relaxed);
}

static bool is_recent(const struct module_map *map)
{
    return clock_read_ns(CLOCK_MONOTONIC_COARSE) - map->refreshed_ns < RETRY_INTERVAL_NS;
}

/* What the kernel knew of libraries may be about one that is gone now. */
static void refresh_if_announced(struct module_map *map)
{
    /* What could not be read a moment ago most likely still cannot. */
    if (!module_map_is_behind(map) || (map->has_failed && is_recent(map)))
        return;
    forget_mappings(map);
    (void)refresh_list(map);
}

/* --- Entering --- */

bool module_map_enter(struct module_map *map)
{
    enum { PATIENCE = 2000 }; /* some tens of µs */
    static __thread char self_mark;
    const void *self = &self_mark;
    for (int i = 0; i < PATIENCE; i++) {
        const void *owner = NULL;
        if (atomic_compare_exchange_strong_explicit(&map->owner, &owner, self, memory_order_acquire,
                                                    memory_order_relaxed))
            return true;
        if (owner == self)
            return false;
        __builtin_ia32_pause();
    }
    return false;
}

void module_map_leave(struct module_map *map)
{
    atomic_store_explicit(&map->owner, NULL, memory_order_release);
}

bool module_map_after_fork_child(struct module_map *map)
{
    map->owes_all = true;
    module_map_changed(map);
    /* Its owner in the parent may have been moving it. */
    memset(&map->spare_mappings, 0, sizeof(map->spare_mappings));
    return atomic_exchange(&map->owner, NULL) == NULL;
}

/* --- What the kernel knows --- */

bool module_map_wants_mappings(const struct module_map *map)
{
    return atomic_load_explicit(&map->wants_mappings, memory_order_relaxed);
}

void module_map_read_mappings(struct module_map *map)
{
    uint64_t now_ns = clock_read_ns(CLOCK_MONOTONIC_COARSE);
    if (!module_map_wants_mappings(map) || now_ns - map->mappings_read_ns < REFRESH_INTERVAL_NS)
        return;
    map->mappings_read_ns = now_ns;
    /* Without /proc, generated code stays unknown. */
    if (mapping_list_read_maps(&map->spare_mappings) != 0 || !module_map_enter(map))
        return;
    struct mapping_list old = map->mappings;
    map->mappings = map->spare_mappings;
    map->spare_mappings = old;
    atomic_store_explicit(&map->wants_mappings, false, memory_order_relaxed);
    (void)refresh_list(map);
    module_map_leave(map);
}

/* --- Looking up --- */

static void set_interval(struct module_map *map, bool is_news)
{
    uint64_t interval_ns = is_news ? REFRESH_INTERVAL_NS : 2 * map->refresh_interval_ns;
    map->refresh_interval_ns =
        interval_ns < REFRESH_INTERVAL_MAX_NS ? interval_ns : REFRESH_INTERVAL_MAX_NS;
}

uint64_t module_map_present_generation(const struct module_map *map)
{
    return map->generation;
}

/* The loader has a library at ADDRESS: there is no notice of a dlopen(). One that could not be read
 * a moment ago most likely still cannot. */
static bool is_new_library(const struct module_map *map, uint64_t address)
{
    return module_loader_has(address) && !(map->missed_library && is_recent(map));
}

/* Reads the list anew for an address that is in none of its modules. */
static void refresh_for_unknown(struct module_map *map, uint64_t address)
{
    if (is_new_library(map, address)) {
        (void)refresh_list(map);
        map->missed_library = module_list_find(&map->entries, address) == NULL;
        return;
    }
    /* Code that the kernel told of, and that is in no file, stays unknown. */
    if (!mapping_list_is_executable(&map->mappings, address))
        atomic_store_explicit(&map->wants_mappings, true, memory_order_relaxed);
    if (clock_read_ns(CLOCK_MONOTONIC_COARSE) - map->refreshed_ns >= map->refresh_interval_ns)
        set_interval(map, refresh_list(map));
}

const struct module *module_map_find(struct module_map *map, uint64_t address)
{
    refresh_if_announced(map);
    struct module_entry *entry = module_list_find(&map->entries, address);
    if (entry == NULL) {
        refresh_for_unknown(map, address);
        entry = module_list_find(&map->entries, address);
    }
    if (entry == NULL)
        return NULL;
    if (entry->tables == TABLES_UNREAD)
        module_entry_read_tables(entry);
    return &entry->module;
}

uint64_t module_map_generation(struct module_map *map)
{
    refresh_if_announced(map);
    return map->generation;
}

bool module_map_is_executable(const struct module_map *map, uint64_t address)
{
    return mapping_list_is_executable(&map->loaded, address) ||
           mapping_list_is_executable(&map->mappings, address);
}

void module_map_changed(struct module_map *map)
{
    module_map_changed_at(map, 0);
}

void module_map_changed_at(struct module_map *map, uint64_t time_ns)
{
    atomic_store_explicit(&map->announced_ns, time_ns, memory_order_relaxed);
    atomic_fetch_add_explicit(&map->announced, 1, memory_order_release);
}

/* --- Life --- */

int module_map_create(const struct module_events *events, struct module_map **out)
{
    struct module_map *map = pages_allocate(sizeof(*map));
    if (map == NULL)
        return -ENOMEM;
    map->refresh_interval_ns = REFRESH_INTERVAL_NS;
    atomic_store(&map->announced, 1);
    if (events != NULL)
        map->events = *events;
    *out = map;
    return 0;
}

void module_map_destroy(struct module_map *map)
{
    if (map == NULL)
        return;
    for (size_t i = 0; i < map->entries.count; i++)
        module_entry_forget_tables(&map->entries.at[i]);
    module_list_free(&map->entries);
    module_list_free(&map->spare);
    mapping_list_free(&map->loaded);
    mapping_list_free(&map->mappings);
    mapping_list_free(&map->spare_mappings);
    module_paths_free(&map->paths);
    pages_free(map, sizeof(*map));
}
