/* The profiles in a raw capture that processes made themselves.
 *
 * profd moves them as they are. Only who reads all of the capture finds out that one is damaged,
 * and then leaves it out. */
#ifndef PROFD_PROFCTL_OWN_PROFILES_H
#define PROFD_PROFCTL_OWN_PROFILES_H

#include <stddef.h>

#include "ipc/messages.h"

/* The one among COUNT in the order of the capture that OFFSET is in; NULL: none. Pure. */
const struct message_own_profile *own_profiles_find(const struct message_own_profile *profiles,
                                                    size_t count, uint64_t offset);

/* Makes it an empty process in the raw capture behind FD; the rest stays where it is. 0, -EPROTO
 * when there is no room for one, or the error of pwrite. */
int own_profile_blank(int fd, const struct message_own_profile *profile);

/* Takes PROFILE out of the COUNT PROFILES. Pure. */
void own_profiles_remove(struct message_own_profile *profiles, size_t *count,
                         const struct message_own_profile *profile);

/* Adds it to the line MISSING of CAPACITY bytes, as far as there is room. Pure. */
void own_profile_tell(const struct message_own_profile *profile, char *missing, size_t capacity);

#endif
