/* The JSON of a raw capture: what profd would have written, made by the same code. The same bytes
 * each time. One thread. */
#ifndef PROFD_PROFCTL_RAW_PROFILE_H
#define PROFD_PROFCTL_RAW_PROFILE_H

#include "profctl/capture/capture_result.h"
#include "profctl/raw/raw_survey.h"

/* What is made. */
struct raw_profile {
    int fd;                       /* where the JSON goes: a file that is empty; borrowed */
    struct capture_result places; /* needs capture_result_free() in any case; `missing` tells who is
                                   * left out, since its arena cannot be read */
    char error[RAW_ERROR_BYTES];  /* what is wrong with the raw capture, and where */
};

/* Writes the capture in FD, of SURVEY, as PROFILE's. 0, or as raw_reader_next(), or the error of
 * writing. */
int raw_profile_write(int fd, const struct raw_survey *survey, struct raw_profile *profile);

#endif
