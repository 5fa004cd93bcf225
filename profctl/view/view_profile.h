/* The profile as the Firefox Profiler is given it, where it cannot take all of the file itself: of
 * a capture it leaves the files of native functions alone, which its own format has a place for.
 * One thread. */
#ifndef PROFD_PROFCTL_VIEW_PROFILE_H
#define PROFD_PROFCTL_VIEW_PROFILE_H

#include "json/json_reader.h"

/* Reads all of READER, and writes it to FD in the Firefox Profiler's own format. 0, an error as
 * profile_walk(), or -ENOMEM; *WRITE_ERROR is that of writing, or 0: then the profile is at fault.
 */
int view_profile_make(struct json_reader *reader, int fd, int *write_error);

#endif
