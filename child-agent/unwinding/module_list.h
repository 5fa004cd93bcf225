/* The modules of the process, in ascending order of addresses, and how a new list is made from the
 * last one and from what is currently mapped.
 *
 * Memory comes from mmap and is reused from one list to the next. The owner makes sure that only
 * one thread or handler at a time is here. */
#ifndef PROFD_AGENT_MODULE_LIST_H
#define PROFD_AGENT_MODULE_LIST_H

#include <stddef.h>
#include <stdint.h>

#include "child-agent/unwinding/module_entry.h"
#include "child-agent/unwinding/module_maps.h"
#include "child-agent/unwinding/module_paths.h"

/* Zeroed: empty. */
struct module_list {
    struct module_entry *at; /* ascending by module.start */
    size_t count, capacity_bytes;
};

/* What is mapped, according to two sources. If both know an image, the loader's entry counts. */
struct mapped_modules {
    const struct mapping_list *loaded;   /* what the dynamic loader knows */
    const struct mapping_list *mappings; /* what the kernel listed when it was last asked */
};

/* Makes NEXT the list of what is MAPPED. It contains the entries of OLD that still exist, with
 * their tables, which are marked as listed in OLD; and new ones, whose number is *ADDED. Returns 0,
 * or -ENOMEM; NEXT must not be used then. */
int module_list_build(struct module_list *old, const struct mapped_modules *mapped,
                      struct module_paths *paths, struct module_list *next, size_t *added);

/* Returns the entry whose module contains ADDRESS, or NULL. */
struct module_entry *module_list_find(const struct module_list *list, uint64_t address);

/* Frees the list, but not the tables of its entries. */
void module_list_free(struct module_list *list);

#endif
