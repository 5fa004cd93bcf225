/* The libraries mapped into this process, as the unwinder sees them.
 *
 * The list is made from the dynamic loader's list and the ELF headers in memory (no library is
 * opened). If code was met that no loaded library contains, it is also made from /proc/self/maps as
 * last read by an agent thread. The list is refreshed when it contains no module for an address, or
 * when dlopen or dlclose were noticed. The unwind tables of what is never unloaded (the executable,
 * the loader, libc, the vdso, the agent) are read in place. Those of all others are copied at their
 * first use with process_vm_readv, which cannot fault.
 *
 * Any thread and any signal handler, each between module_map_enter() and module_map_leave(), unless
 * a function says otherwise. Nobody waits for long: a thread that cannot enter works without the
 * list. */
#ifndef PROFD_AGENT_MODULES_H
#define PROFD_AGENT_MODULES_H

#include <stdbool.h>
#include <stdint.h>

#include "child-agent/unwinding/module.h"

/* Reports modules as they come and go, so that they reach the dictionary. The list changes only
 * between a begin() that returned true and end(); either may be NULL. Called in signal handlers, so
 * begin() must not wait. What changes has done so at CHANGE_NS, as far as is known: before that,
 * their addresses may have been another module's. */
struct module_events {
    bool (*begin)(uint64_t change_ns, void *context);
    void (*added)(const struct module *module, void *context);
    void (*removed)(const struct module *module, void *context);
    void (*end)(void *context);
    void *context;
};

struct module_map; /* opaque */

/* Creates *OUT without reading anything yet. EVENTS may be NULL. Memory comes from mmap. Returns 0
 * or a negative errno. One thread at a time. */
int module_map_create(const struct module_events *events, struct module_map **out);
void module_map_destroy(struct module_map *map);

/* Takes MAP for the caller. Returns false if another thread has it for more than a moment, or if a
 * signal interrupted the calling thread while it had the map. */
bool module_map_enter(struct module_map *map);
void module_map_leave(struct module_map *map);

/* Called in a forked child, where no other thread is left that could have the map. Returns false if
 * a thread of the parent had it, so that it cannot be trusted. Otherwise all modules are reported
 * again when the list is next read. */
bool module_map_after_fork_child(struct module_map *map);

/* Makes the next look-up read the list again. Any thread, also inside dlopen and dlclose. */
void module_map_changed(struct module_map *map);

/* The same of what changed at TIME_NS; 0: some time before it is read. */
void module_map_changed_at(struct module_map *map, uint64_t time_ns);

/* Returns the module that contains ADDRESS, or NULL (data, generated code). The vdso is module
 * "[vdso]". Reads the loader's list again for an address in a library that the list does not show
 * yet, and for unknown addresses: at most every 100 ms, and less often while that gives nothing
 * new. The pointer is valid until the next call. */
const struct module *module_map_find(struct module_map *map, uint64_t address);

/* Returns whether a change was announced that the list does not show yet. Without entering; cheap,
 * but once for each stack is enough. */
bool module_map_is_behind(const struct module_map *map);

/* Returns a number that grows with every change of the list. If a change was announced, reads the
 * list again first. */
uint64_t module_map_generation(struct module_map *map);

/* Like module_map_generation(), without reading, so modules that were found stay valid. */
uint64_t module_map_present_generation(const struct module_map *map);

/* Returns whether an address was met that the loader knows nothing about. Without entering. */
bool module_map_wants_mappings(const struct module_map *map);

/* Reads /proc/self/maps, if that is needed and was not done recently. Opens a descriptor for a
 * moment: only in an agent thread, or the handler of the only thread, and without having
 * entered. */
void module_map_read_mappings(struct module_map *map);

/* Returns whether code, of a module or generated, was mapped at ADDRESS when the list was last
 * read. */
bool module_map_is_executable(const struct module_map *map, uint64_t address);

#endif
