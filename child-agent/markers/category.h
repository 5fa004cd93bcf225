/* The program's own categories, as numbers of the dictionary.
 *
 * A name gets its number at its first use, and keeps it in forked children, too; each image writes
 * it into its dictionary when it first needs it. */
#ifndef PROFD_AGENT_CATEGORY_H
#define PROFD_AGENT_CATEGORY_H

#include <stdbool.h>
#include <stdint.h>

/* What a site's CATEGORY is a number for: CATEGORY itself when it is no address; the number of the
 * declaration there; CATEGORY_OTHER, counted, when that has no name or is one too many. The
 * declaration is not looked at again. Under the sites' lock. */
uint32_t category_number(uintptr_t category);

/* Whether category_number() need not be asked, because the declaration at CATEGORY says its number,
 * or it is one; then that is in *NUMBER. Any thread, no lock. */
bool category_has_number(uintptr_t category, uint32_t *number);

/* Writes the category NUMBER, and what it is a part of, into the dictionary unless this image has.
 * NUMBER; CATEGORY_OTHER when there is no room, which is counted. Under the sites' lock. */
uint32_t category_register(uint32_t number);

/* In a forked child, which starts a dictionary of its own. */
void category_after_fork_child(void);

#endif
