/* The libraries mapped into this process, as the unwinder sees them.
 *
 * A list made of the dynamic loader's and of the ELF headers in memory (no library is opened), and
 * of /proc/self/maps as last read by a thread of the agent, once code was met that no loaded
 * library has. Refreshed when an address is in none of them or when dlopen/dlclose were seen. The
 * unwind tables of what is never unloaded (the executable, the loader, libc, the vdso, the agent)
 * are read in place; those of all others are copied, when first asked for, with process_vm_readv,
 * which cannot fault.
 *
 * Any thread and any signal handler, each between module_map_enter() and module_map_leave(), unless
 * a function says otherwise. Nobody waits for long: a thread that cannot enter does without. */
#ifndef PROFD_AGENT_MODULES_H
#define PROFD_AGENT_MODULES_H

#include <stdbool.h>
#include <stdint.h>

#include "child-agent/unwinding/module.h"

/* Told of modules as they come and go, so that they reach the dictionary. The list changes only
 * between a begin() that returned true and end(); either may be NULL. Called in signal handlers, so
 * begin() must not wait. */
struct module_events {
    bool (*begin)(void *context);
    void (*added)(const struct module *module, void *context);
    void (*removed)(const struct module *module, void *context);
    void (*end)(void *context);
    void *context;
};

struct module_map; /* opaque */

/* EVENTS may be NULL. Nothing is read yet. Memory from mmap. Any one thread. */
int module_map_create(const struct module_events *events, struct module_map **out);
void module_map_destroy(struct module_map *map);

/* Makes MAP the caller's, unless another thread has it for more than a moment, or the caller itself
 * where a signal interrupted it. */
bool module_map_enter(struct module_map *map);
void module_map_leave(struct module_map *map);

/* In a forked child, where nobody else is left who could have it: false when a thread of the parent
 * did, so that it cannot be trusted. Else all modules are told of anew when the list is next read.
 */
bool module_map_after_fork_child(struct module_map *map);

/* Any thread, also inside dlopen/dlclose: the next look-up reads the list anew. */
void module_map_changed(struct module_map *map);

/* The module that ADDRESS is in, or NULL (data, generated code); the vdso is module "[vdso]". Reads
 * the loader's list anew for an address of a library that it does not show yet, and for unknown
 * addresses: at most every 100 ms, and more rarely while that tells nothing new. The pointer is
 * valid until the next call. */
const struct module *module_map_find(struct module_map *map, uint64_t address);

/* Whether a change was announced that the list does not show yet. Without entering; cheap: ask once
 * a stack. */
bool module_map_is_behind(const struct module_map *map);

/* A number that grows with every change of the list, which is read anew first when a change was
 * announced. */
uint64_t module_map_generation(struct module_map *map);

/* The same without reading: modules that were found stay valid. */
uint64_t module_map_present_generation(const struct module_map *map);

/* Whether an address was met that the loader knows nothing of. Without entering. */
bool module_map_wants_mappings(const struct module_map *map);

/* Reads /proc/self/maps if that is wanted and not done for some time. Opens a descriptor for a
 * moment: a thread of the agent, or the handler of the only thread, without having entered. */
void module_map_read_mappings(struct module_map *map);

/* Whether code was mapped at ADDRESS when the list was last read: of a module, or generated. */
bool module_map_is_executable(const struct module_map *map, uint64_t address);

#endif
