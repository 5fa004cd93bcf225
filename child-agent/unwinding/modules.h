/* The libraries mapped into this process, as the sampler sees them.
 *
 * A list made of the dynamic loader's and of the ELF headers in memory (no library is opened), and
 * of /proc/self/maps once code is met that no loaded library has. Refreshed when an address is in
 * none of them or when dlopen/dlclose were seen. The unwind tables of what is never unloaded (the
 * executable, the loader, libc, the vdso, the agent) are read in place; those of all others are
 * copied, when first asked for, with process_vm_readv, which can't fault.
 *
 * Sampler thread only, but for module_map_changed(). Reading the list opens a descriptor for a
 * moment. */
#ifndef PROFD_AGENT_MODULES_H
#define PROFD_AGENT_MODULES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct module {
    uint64_t start, end; /* all its mappings */
    uint64_t load_bias;  /* address = bias + p_vaddr */
    char *path;          /* owned by the map */
    uint8_t build_id[64];
    size_t build_id_bytes;
    /* PT_GNU_EH_FRAME and .eh_frame, readable at these addresses of our own; NULL when there is
     * none. */
    const uint8_t *eh_frame_header;
    size_t eh_frame_header_bytes;
    uint64_t eh_frame_header_address; /* where the header is (or was) in the program */
    const uint8_t *eh_frame;
    size_t eh_frame_bytes;
    uint64_t eh_frame_address;
};

/* Told of modules as they come and go, so that they reach the dictionary. */
struct module_events {
    void (*added)(const struct module *module, void *context);
    void (*removed)(const struct module *module, void *context);
    void *context;
};

struct module_map; /* opaque */

/* EVENTS may be NULL. Nothing is read yet. Memory from mmap. */
int module_map_create(const struct module_events *events, struct module_map **out);
void module_map_destroy(struct module_map *map);

/* Any thread, also inside dlopen/dlclose: the next look-up reads the list anew. */
void module_map_changed(struct module_map *map);

/* The module that ADDRESS is in, or NULL (data, generated code); the vdso is module "[vdso]". Reads
 * the list anew for an unknown address: at most every 100 ms, and more rarely while that tells
 * nothing new. The pointer is valid until the next call. *CHANGED (may be NULL) is set when the
 * list changed, so that cached rules must go; it is never cleared. */
const struct module *module_map_find(struct module_map *map, uint64_t address, bool *changed);

/* A number that grows with every change of the list; reads it anew first when a change was
 * announced. Cheap when none was: ask once a stack. */
uint64_t module_map_generation(struct module_map *map);

/* Whether code was mapped at ADDRESS when the list was last read: of a module, or generated. */
bool module_map_is_executable(const struct module_map *map, uint64_t address);

#endif
