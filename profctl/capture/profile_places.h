/* Where in a raw capture the profiles of processes are.
 *
 * profd moves them as they are. Only who reads all of the capture finds out that one is damaged,
 * and then leaves it out. */
#ifndef PROFD_PROFCTL_PROFILE_PLACES_H
#define PROFD_PROFCTL_PROFILE_PLACES_H

#include <stddef.h>

#include "ipc/messages.h"

/* The one among COUNT in the order of the capture that OFFSET is in; NULL: none. Pure. */
const struct message_profile_place *
profile_places_find(const struct message_profile_place *profiles, size_t count, uint64_t offset);

/* Makes it an empty process in the raw capture behind FD; the rest stays where it is. 0, -EPROTO
 * when there is no room for one, or the error of pwrite. */
int profile_place_blank(int fd, const struct message_profile_place *profile);

/* Takes PROFILE out of the COUNT PROFILES. Pure. */
void profile_places_remove(struct message_profile_place *profiles, size_t *count,
                           const struct message_profile_place *profile);

/* Adds it to the line MISSING of CAPACITY bytes, as far as there is room. Pure. */
void profile_place_tell(const struct message_profile_place *profile, char *missing,
                        size_t capacity);

#endif
