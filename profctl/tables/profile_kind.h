/* What the members of a file's root say of the kind of profile that it is. One thread. */
#ifndef PROFD_PROFCTL_PROFILE_KIND_H
#define PROFD_PROFCTL_PROFILE_KIND_H

#include <stdbool.h>

#include "json/json_reader.h"

/* Zeroed: nothing is known. */
struct profile_kind {
    bool has_threads;   /* of its own, or processes that may have some */
    bool is_cpuprofile; /* V8's */
};

/* Notes a key of the root that READER has just returned. */
void profile_kind_note(struct profile_kind *kind, struct json_reader *reader);

/* All of the root was read. 0; or -EPROTO, with the reader's text, if it is not a profile. */
int profile_kind_check(const struct profile_kind *kind, struct json_reader *reader);

/* The same for who needs a capture, or a profile of Firefox: those of V8 are none. */
int profile_kind_check_capture(const struct profile_kind *kind, struct json_reader *reader);

#endif
