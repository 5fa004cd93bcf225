#include "child-agent/unwinding/modules.h"

#include <errno.h>
#include <stdatomic.h>
#include <string.h>
#include <sys/auxv.h>

#include "buffer/clock.h"
#include "child-agent/guest/pages.h"
#include "child-agent/guest/process_memory.h"
#include "child-agent/unwinding/module_elf.h"
#include "child-agent/unwinding/module_loader.h"
#include "child-agent/unwinding/module_maps.h"

/* For unknown addresses. Doubled as long as reading the list tells nothing new, as with generated
 * code. */
static const uint64_t REFRESH_INTERVAL_NS = 100 * 1000 * 1000;
static const uint64_t RETRY_INTERVAL_NS = 10 * 1000 * 1000;
static const uint64_t REFRESH_INTERVAL_MAX_NS = 800 * 1000 * 1000;

enum {
    MAX_COPIED_BYTES = 64 * 1024 * 1024, /* of one table */
    PATH_BLOCK_BYTES = 64 * 1024,
    FIRST_ENTRY_BYTES = 64 * 1024,
    JITDUMP_SHOWN_BYTES = 4096,
};

enum table_state {
    TABLES_UNREAD = 0, /* nobody asked yet */
    TABLES_READ = 1,   /* or there are none */
};

struct module_entry {
    struct module module;
    uint64_t header_address;
    uint64_t device, inode;
    size_t tables_header_bytes, tables_frames_bytes; /* what there is to read */
    enum table_state tables;
    void *header_copy, *frames_copy; /* NULL: none, or read in place */
    bool is_listed;                  /* while comparing lists: found again */
};

struct entry_list {
    struct module_entry *at; /* ascending by module.start */
    size_t count, capacity_bytes;
};

/* Paths are kept for good, each once: a library that comes and goes costs nothing more. */
struct path_block {
    struct path_block *next;
    size_t used; /* of bytes */
    char bytes[];
};

struct module_map {
    struct module_events events;
    struct entry_list entries;
    struct entry_list spare;            /* the next list is built here */
    struct mapping_list loaded;         /* what the dynamic loader knows */
    struct mapping_list mappings;       /* what the kernel knew when a thread of the agent asked */
    struct mapping_list spare_mappings; /* of that thread alone */
    /* An address was in no loaded library: generated code, perhaps. */
    _Atomic bool wants_mappings;
    struct path_block *paths;
    bool owes_all; /* modules are to be told of once more, to another listener */
    uint64_t generation;
    uint64_t refreshed_ns, refresh_interval_ns;
    bool has_failed;            /* at the latest attempt */
    bool missed_library;        /* the loader had one that was not read: it is changing its list */
    uint64_t mappings_read_ns;  /* of the agent's thread alone */
    _Atomic uint64_t announced; /* changes told of by other threads; 1: the first reading */
    _Atomic uint64_t announced_seen;
    const void *_Atomic owner; /* who entered: an address of the thread's own; NULL: nobody */
};

/* --- Paths --- */

static char *find_path(struct path_block *block, const char *path, size_t bytes)
{
    for (; block != NULL; block = block->next) {
        for (size_t offset = 0; offset < block->used;) {
            char *known = block->bytes + offset;
            size_t known_bytes = strlen(known);
            if (known_bytes == bytes && memcmp(known, path, bytes) == 0)
                return known;
            offset += known_bytes + 1;
        }
    }
    return NULL;
}

/* A path of the map's own; NULL when there is no memory for it. */
static char *intern_path(struct module_map *map, const char *path, size_t bytes)
{
    const size_t room = PATH_BLOCK_BYTES - sizeof(struct path_block);
    char *known = find_path(map->paths, path, bytes);
    if (known != NULL || bytes >= room)
        return known;
    if (map->paths == NULL || room - map->paths->used < bytes + 1) {
        struct path_block *block = pages_allocate(PATH_BLOCK_BYTES);
        if (block == NULL)
            return NULL;
        block->next = map->paths;
        map->paths = block;
    }
    char *own = map->paths->bytes + map->paths->used;
    memcpy(own, path, bytes);
    own[bytes] = '\0';
    map->paths->used += bytes + 1;
    return own;
}

/* --- Unwind tables --- */

static bool contains(const struct module *module, uint64_t address)
{
    return address >= module->start && address < module->end;
}

/* Whether nothing can unmap the module while this code runs. */
static bool is_permanent(const struct module *module)
{
    return contains(module, getauxval(AT_PHDR)) || contains(module, getauxval(AT_BASE)) ||
           contains(module, getauxval(AT_SYSINFO_EHDR)) ||
           contains(module, (uint64_t)(uintptr_t)&getauxval) ||
           contains(module, (uint64_t)(uintptr_t)&is_permanent);
}

static bool is_readable(uint64_t address, size_t bytes)
{
    uint8_t byte;
    return process_memory_read(address, &byte, 1) == 0 &&
           process_memory_read(address + bytes - 1, &byte, 1) == 0;
}

static void *copy_table(uint64_t address, size_t bytes)
{
    if (bytes > MAX_COPIED_BYTES)
        return NULL;
    void *copy = pages_allocate(bytes);
    if (copy != NULL && process_memory_read(address, copy, bytes) != 0) {
        pages_free(copy, bytes);
        return NULL;
    }
    return copy;
}

static void forget_copies(struct module_entry *entry)
{
    pages_free(entry->header_copy, entry->tables_header_bytes);
    pages_free(entry->frames_copy, entry->tables_frames_bytes);
    entry->header_copy = entry->frames_copy = NULL;
}

static void show_tables(struct module_entry *entry, const void *header, const void *frames)
{
    struct module *module = &entry->module;
    module->eh_frame_header = header;
    module->eh_frame_header_bytes = entry->tables_header_bytes;
    module->eh_frame = frames;
    module->eh_frame_bytes = entry->tables_frames_bytes;
}

/* Without tables when they cannot be had: the library is being unloaded, or is too large. */
static void read_tables(struct module_entry *entry)
{
    const struct module *module = &entry->module;
    uint64_t header = module->eh_frame_header_address;
    uint64_t frames = module->eh_frame_address;
    entry->tables = TABLES_READ;
    if (entry->tables_header_bytes == 0)
        return;
    if (is_permanent(module)) {
        if (is_readable(header, entry->tables_header_bytes) &&
            is_readable(frames, entry->tables_frames_bytes))
            show_tables(entry, (const void *)(uintptr_t)header, (const void *)(uintptr_t)frames);
        return;
    }
    entry->header_copy = copy_table(header, entry->tables_header_bytes);
    entry->frames_copy = copy_table(frames, entry->tables_frames_bytes);
    if (entry->header_copy != NULL && entry->frames_copy != NULL)
        show_tables(entry, entry->header_copy, entry->frames_copy);
    else
        forget_copies(entry);
}

/* --- Comparing lists --- */

static int add_entry(struct entry_list *list, const struct module_entry *entry)
{
    size_t bytes = (list->count + 1) * sizeof *entry;
    if (bytes > list->capacity_bytes) {
        size_t capacity = list->capacity_bytes == 0 ? FIRST_ENTRY_BYTES : 2 * list->capacity_bytes;
        void *grown = pages_grow(list->at, list->capacity_bytes, capacity);
        if (grown == NULL)
            return -ENOMEM;
        list->at = grown;
        list->capacity_bytes = capacity;
    }
    size_t place = list->count++;
    for (; place > 0 && list->at[place - 1].module.start > entry->module.start; place--)
        list->at[place] = list->at[place - 1];
    list->at[place] = *entry;
    return 0;
}

static bool is_same(const struct module_entry *entry, const struct mapped_image *image)
{
    return entry->header_address == image->header_address && entry->device == image->device &&
           entry->inode == image->inode && strlen(entry->module.path) == image->path_bytes &&
           memcmp(entry->module.path, image->path, image->path_bytes) == 0;
}

static struct module_entry *find_listed(struct module_map *map, const struct mapped_image *image)
{
    for (size_t i = 0; i < map->entries.count; i++) {
        if (is_same(&map->entries.at[i], image))
            return &map->entries.at[i];
    }
    return NULL;
}

/* What generates code tells where it keeps the names of it by mapping that file as code. */
static bool is_jitdump(const struct mapped_image *image)
{
    static const char magic[] = { 'D', 'T', 'i', 'J' };
    char start[sizeof magic];
    return image->has_code && image->path[0] == '/' &&
           process_memory_read(image->header_address, start, sizeof start) == 0 &&
           memcmp(start, magic, sizeof magic) == 0;
}

/* A library with nothing in it but its name. */
static int read_jitdump(struct module_map *map, const struct mapped_image *image,
                        struct module_entry *out)
{
    memset(out, 0, sizeof *out);
    out->header_address = image->header_address;
    out->device = image->device;
    out->inode = image->inode;
    out->tables = TABLES_READ;
    out->module.start = out->module.load_bias = image->header_address;
    out->module.end = image->header_address + JITDUMP_SHOWN_BYTES;
    out->module.path = intern_path(map, image->path, image->path_bytes);
    return out->module.path == NULL ? -ENOMEM : 0;
}

/* -ENOEXEC: a file that was mapped just for its data. */
static int read_entry(struct module_map *map, const struct mapped_image *image,
                      struct module_entry *out)
{
    struct elf_image elf;
    int rc = image->has_code ? elf_image_read(image->header_address, &elf) : -ENOEXEC;
    if (rc != 0)
        return is_jitdump(image) ? read_jitdump(map, image, out) : rc;
    memset(out, 0, sizeof *out);
    out->header_address = image->header_address;
    out->device = image->device;
    out->inode = image->inode;
    out->tables_header_bytes = elf.eh_frame_header_bytes;
    out->tables_frames_bytes = elf.eh_frame_bytes;
    struct module *module = &out->module;
    module->start = elf.start;
    module->end = elf.end;
    module->load_bias = elf.load_bias;
    module->eh_frame_header_address = elf.eh_frame_header_address;
    module->eh_frame_address = elf.eh_frame_address;
    module->build_id_bytes = elf.build_id_bytes;
    memcpy(module->build_id, elf.build_id, sizeof module->build_id);
    module->path = intern_path(map, image->path, image->path_bytes);
    return module->path == NULL ? -ENOMEM : 0;
}

/* Puts IMAGE on the spare list: the entry that it has already, or a new one. */
static int list_image(struct module_map *map, const struct mapped_image *image, size_t *added)
{
    struct module_entry *known = find_listed(map, image);
    struct module_entry fresh;
    if (known != NULL) {
        known->is_listed = true;
        return add_entry(&map->spare, known);
    }
    int rc = read_entry(map, image, &fresh);
    if (rc == -ENOMEM)
        return rc;
    if (rc != 0)
        return 0; /* no library, or gone already */
    ++*added;
    return add_entry(&map->spare, &fresh);
}

/* The header of the file that CODE is of; 0: it is not mapped. */
static uint64_t header_of(const struct module_map *map, const struct mapped_code *code)
{
    for (size_t i = 0; i < map->mappings.image_count; i++) {
        const struct mapped_image *image = &map->mappings.images[i];
        if (image->device == code->device && image->inode == code->inode)
            return image->header_address;
    }
    return 0;
}

/* A part of a file that is mapped apart from its image, as a library of its own: with the names of
 * the file, and without unwind tables, which tell of the image only. */
static int read_copy(struct module_map *map, const struct mapped_code *code,
                     struct module_entry *out)
{
    struct elf_image elf;
    uint64_t header_address = header_of(map, code);
    int rc = header_address != 0 ? elf_image_read(header_address, &elf) : -ENOEXEC;
    memset(out, 0, sizeof *out);
    if (rc == 0)
        rc = elf_image_bias_of_copy(header_address, code->start, code->offset,
                                    &out->module.load_bias);
    if (rc != 0)
        return rc;
    out->header_address = code->start;
    out->device = code->device;
    out->inode = code->inode;
    out->tables = TABLES_READ;
    out->module.start = code->start;
    out->module.end = code->end;
    out->module.build_id_bytes = elf.build_id_bytes;
    memcpy(out->module.build_id, elf.build_id, sizeof out->module.build_id);
    out->module.path = intern_path(map, code->path, code->path_bytes);
    return out->module.path == NULL ? -ENOMEM : 0;
}

static bool is_covered(const struct entry_list *list, uint64_t address)
{
    for (size_t i = 0; i < list->count; i++)
        if (contains(&list->at[i].module, address))
            return true;
    return false;
}

static int list_copy(struct module_map *map, const struct mapped_code *code, size_t *added)
{
    const struct mapped_image place = { code->start, code->device, code->inode,
                                        true,        code->path,   code->path_bytes };
    struct module_entry *known = find_listed(map, &place);
    struct module_entry fresh;
    if (is_covered(&map->spare, code->start))
        return 0;
    if (known != NULL) {
        known->is_listed = true;
        return add_entry(&map->spare, known);
    }
    int rc = read_copy(map, code, &fresh);
    if (rc != 0)
        return rc == -ENOMEM ? rc : 0;
    ++*added;
    return add_entry(&map->spare, &fresh);
}

static bool is_loaded(const struct module_map *map, uint64_t header_address)
{
    for (size_t i = 0; i < map->loaded.image_count; i++)
        if (map->loaded.images[i].header_address == header_address)
            return true;
    return false;
}

/* Builds the new list in the spare one. *ADDED counts what was not in the old one. */
static int build_list(struct module_map *map, size_t *added)
{
    int rc = 0;
    map->spare.count = 0;
    for (size_t i = 0; i < map->entries.count; i++)
        map->entries.at[i].is_listed = false;
    for (size_t i = 0; rc == 0 && i < map->loaded.image_count; i++)
        rc = list_image(map, &map->loaded.images[i], added);
    for (size_t i = 0; rc == 0 && i < map->mappings.image_count; i++)
        if (!is_loaded(map, map->mappings.images[i].header_address))
            rc = list_image(map, &map->mappings.images[i], added);
    for (size_t i = 0; rc == 0 && i < map->mappings.code_count; i++)
        rc = list_copy(map, &map->mappings.codes[i], added);
    return rc;
}

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
        forget_copies(entry);
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
    if (build_list(map, &added) != 0)
        return;
    size_t removed = remove_unlisted(map);
    struct entry_list old = map->entries;
    map->entries = map->spare;
    map->spare = old;
    tell_added(map);
    map->generation += added != 0 || removed != 0;
}

/* Whether the list changed. What cannot be read leaves it as it was, until the next attempt. */
static bool refresh(struct module_map *map)
{
    uint64_t before = map->generation;
    uint64_t announced = atomic_load_explicit(&map->announced, memory_order_acquire);
    map->refreshed_ns = clock_read_ns(CLOCK_MONOTONIC_COARSE);
    map->has_failed = module_loader_read(&map->loaded) != 0;
    if (map->has_failed || (map->events.begin != NULL && !map->events.begin(map->events.context)))
        return false;
    atomic_store_explicit(&map->announced_seen, announced, memory_order_relaxed);
    change_list(map);
    if (map->events.end != NULL)
        map->events.end(map->events.context);
    return map->generation != before;
}

bool module_map_is_behind(const struct module_map *map)
{
    return atomic_load_explicit(&map->announced, memory_order_acquire) !=
           atomic_load_explicit(&map->announced_seen, memory_order_relaxed);
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
    (void)refresh(map);
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
    memset(&map->spare_mappings, 0, sizeof map->spare_mappings);
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
    (void)refresh(map);
    module_map_leave(map);
}

/* --- Looking up --- */

static struct module_entry *find_entry(const struct module_map *map, uint64_t address)
{
    size_t low = 0, high = map->entries.count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (map->entries.at[middle].module.start <= address)
            low = middle + 1;
        else
            high = middle;
    }
    if (low == 0 || !contains(&map->entries.at[low - 1].module, address))
        return NULL;
    return &map->entries.at[low - 1];
}

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

/* The range that ends behind ADDRESS, if any: the first that may hold it. */
static const struct address_range *range_at(const struct mapping_list *mappings, uint64_t address)
{
    size_t low = 0, high = mappings->executable_count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (mappings->executable[middle].end <= address)
            low = middle + 1;
        else
            high = middle;
    }
    return low < mappings->executable_count ? &mappings->executable[low] : NULL;
}

static bool is_in_ranges(const struct mapping_list *mappings, uint64_t address)
{
    const struct address_range *range = range_at(mappings, address);
    return range != NULL && range->start <= address;
}

/* The loader has a library at ADDRESS: nobody tells of a dlopen(). One that could not be read a
 * moment ago most likely still cannot. */
static bool is_new_library(const struct module_map *map, uint64_t address)
{
    return module_loader_has(address) && !(map->missed_library && is_recent(map));
}

/* Reads the list anew for an address that is in none of its modules. */
static void refresh_for_unknown(struct module_map *map, uint64_t address)
{
    if (is_new_library(map, address)) {
        (void)refresh(map);
        map->missed_library = find_entry(map, address) == NULL;
        return;
    }
    /* Code that the kernel told of, and that is in no file, stays unknown. */
    if (!is_in_ranges(&map->mappings, address))
        atomic_store_explicit(&map->wants_mappings, true, memory_order_relaxed);
    if (clock_read_ns(CLOCK_MONOTONIC_COARSE) - map->refreshed_ns >= map->refresh_interval_ns)
        set_interval(map, refresh(map));
}

const struct module *module_map_find(struct module_map *map, uint64_t address)
{
    refresh_if_announced(map);
    struct module_entry *entry = find_entry(map, address);
    if (entry == NULL) {
        refresh_for_unknown(map, address);
        entry = find_entry(map, address);
    }
    if (entry == NULL)
        return NULL;
    if (entry->tables == TABLES_UNREAD)
        read_tables(entry);
    return &entry->module;
}

uint64_t module_map_generation(struct module_map *map)
{
    refresh_if_announced(map);
    return map->generation;
}

bool module_map_is_executable(const struct module_map *map, uint64_t address)
{
    return is_in_ranges(&map->loaded, address) || is_in_ranges(&map->mappings, address);
}

void module_map_changed(struct module_map *map)
{
    atomic_fetch_add_explicit(&map->announced, 1, memory_order_release);
}

/* --- Life --- */

int module_map_create(const struct module_events *events, struct module_map **out)
{
    struct module_map *map = pages_allocate(sizeof *map);
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
        forget_copies(&map->entries.at[i]);
    pages_free(map->entries.at, map->entries.capacity_bytes);
    pages_free(map->spare.at, map->spare.capacity_bytes);
    mapping_list_free(&map->loaded);
    mapping_list_free(&map->mappings);
    mapping_list_free(&map->spare_mappings);
    while (map->paths != NULL) {
        struct path_block *next = map->paths->next;
        pages_free(map->paths, PATH_BLOCK_BYTES);
        map->paths = next;
    }
    pages_free(map, sizeof *map);
}
