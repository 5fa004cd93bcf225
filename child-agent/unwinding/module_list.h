/* The modules of the process, ascending by address, and how a new list is made of the last one and
 * of what is mapped now.
 *
 * Memory from mmap, which is kept from one list to the next. The owner sees to it that one thread
 * or handler at a time is here. */
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

/* What is mapped, according to two sources. An image that both know is the loader's. */
struct mapped_modules {
    const struct mapping_list *loaded;   /* what the dynamic loader knows */
    const struct mapping_list *mappings; /* what the kernel knew when it was last asked */
};

/* Makes NEXT the list of what is MAPPED: the entries of OLD that are still there, with their
 * tables, marked as listed in OLD; and new ones, of which *ADDED is how many. -ENOMEM: NEXT is not
 * to be used. */
int module_list_build(struct module_list *old, const struct mapped_modules *mapped,
                      struct module_paths *paths, struct module_list *next, size_t *added);

/* The entry whose module ADDRESS is in, or NULL. */
struct module_entry *module_list_find(const struct module_list *list, uint64_t address);

/* Frees the list, not the tables of its entries. */
void module_list_free(struct module_list *list);

#endif
