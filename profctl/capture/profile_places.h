/* The places of process profiles in a raw capture.
 *
 * profd copies the profiles unchanged. Only a reader of the whole capture can find out that one of
 * them is damaged, and then leaves it out. */
#ifndef PROFD_PROFCTL_PROFILE_PLACES_H
#define PROFD_PROFCTL_PROFILE_PLACES_H

#include <stddef.h>

#include "ipc/messages.h"

/* Returns the profile that contains OFFSET, among COUNT profiles in order of their offsets; NULL:
 * none. Pure. */
const struct message_profile_place *
profile_places_find(const struct message_profile_place *profiles, size_t count, uint64_t offset);

/* Replaces PROFILE by an empty process in the raw capture FD; nothing else moves. Returns 0,
 * -EPROTO if there is no room for an empty process, or an error of pwrite. */
int profile_place_blank(int fd, const struct message_profile_place *profile);

/* Removes PROFILE from the COUNT PROFILES. Pure. */
void profile_places_remove(struct message_profile_place *profiles, size_t *count,
                           const struct message_profile_place *profile);

/* Appends PROFILE to the text MISSING, which has room for CAPACITY bytes, as far as there is room.
 * Pure. */
void profile_place_tell(const struct message_profile_place *profile, char *missing,
                        size_t capacity);

#endif
