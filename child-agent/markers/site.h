/* Sites: the static places in the program that labels and markers come from, as numbers.
 *
 * A site gets its number at its first use in a process image. Its id contains the image
 * (core_epoch) besides the number, because a forked child starts a dictionary of its own. */
#ifndef PROFD_AGENT_SITE_H
#define PROFD_AGENT_SITE_H

#include <stdbool.h>
#include <stdint.h>

#include "child-agent/core.h"
#include "profd.h"

enum { SITE_INDEX_BITS = 20, SITE_INDEX_MASK = (1 << SITE_INDEX_BITS) - 1 };

/* Registers SITE in the dictionary and returns its index; 0 if there is no room. Any thread. */
uint32_t site_register(struct profd_site *site);

/* Returns the index of SITE in this image's dictionary, or 0. */
static inline uint32_t site_index(struct profd_site *site)
{
    uint32_t id = site->id;
    if (__builtin_expect(id >> SITE_INDEX_BITS == core_epoch, 1))
        return id & SITE_INDEX_MASK;
    return site_register(site);
}

/* Returns the number of the CATEGORY of a site. It remains valid when the library that declared the
 * category is unloaded. Any thread. */
uint32_t site_category_number(uintptr_t category);

/* Returns whether nobody is registering a site. For signal handlers. */
bool site_table_is_free(void);

/* Called around fork. The child forgets the parent's numbers. */
void site_before_fork(void);
void site_after_fork_parent(void);
void site_unlock_in_child(void);
void site_after_fork_child(void);

#endif
