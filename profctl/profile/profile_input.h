/* A profile to be read: a file of JSON, compressed or not, or a raw capture. */
#ifndef PROFD_PROFCTL_PROFILE_INPUT_H
#define PROFD_PROFCTL_PROFILE_INPUT_H

#include <stdbool.h>

#include "json/json_reader.h"
#include "profctl/failure.h"

struct profile_input {
    const char *path;
    struct json_reader *reader;
    void *file; /* gzFile */
};

/* PATH is borrowed. Returns false with FAILURE filled. */
bool profile_input_open(struct profile_input *input, const char *path, struct failure *failure);

/* The file at PATH as a descriptor in *FD, from its beginning: of a raw capture the JSON that is
 * made of it. Returns false with FAILURE filled. */
bool profile_input_open_file(const char *path, int *fd, struct failure *failure);

/* As profile_input_open() over such a descriptor, which is duplicated. */
bool profile_input_open_again(struct profile_input *input, const char *path, int fd,
                              struct failure *failure);

/* Returns whether PATH can be read more than once, as a pipe cannot. Returns false with FAILURE
 * filled. */
bool profile_input_is_repeatable(const char *path, struct failure *failure);

/* Returns whether OUTPUT is another file than PATH, which stays as it is. Returns false with
 * FAILURE filled. */
bool profile_input_is_not(const char *path, const char *output, struct failure *failure);

void profile_input_close(struct profile_input *input);

/* Tells in FAILURE why the reader's user ended with ERR (negative errno). Returns the exit code. */
int profile_input_failed(const struct profile_input *input, int error, struct failure *failure);

#endif
