/* The program's own categories, as numbers in the dictionary.
 *
 * A name gets its number at first use and keeps it, also in forked children. Each process image
 * writes it into its dictionary when it first needs it. */
#ifndef PROFD_AGENT_CATEGORY_H
#define PROFD_AGENT_CATEGORY_H

#include <stdbool.h>
#include <stdint.h>

/* Returns the number that a site's CATEGORY stands for: CATEGORY itself if it is not an address,
 * otherwise the number of the declaration at that address. Returns CATEGORY_OTHER, and counts it,
 * if that declaration has no name or exceeds the limit. The declaration is not read again. Called
 * under the sites' lock. */
uint32_t category_number(uintptr_t category);

/* Returns whether *NUMBER could be set without calling category_number(), because CATEGORY is a
 * number, or the declaration there holds its number. Any thread, no lock. */
bool category_has_number(uintptr_t category, uint32_t *number);

/* Writes category NUMBER and its parent into the dictionary, unless this image has done so. Returns
 * NUMBER, or CATEGORY_OTHER if there is no room, which is counted. Called under the sites' lock. */
uint32_t category_register(uint32_t number);

/* Called in a forked child, which starts a dictionary of its own. */
void category_after_fork_child(void);

#endif
