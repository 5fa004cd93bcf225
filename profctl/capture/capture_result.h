/* What profd reports about a capture that it has made. One thread. */
#ifndef PROFD_PROFCTL_CAPTURE_RESULT_H
#define PROFD_PROFCTL_CAPTURE_RESULT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "ipc/messages.h"

/* A finished capture. A zeroed struct is empty. */
struct capture_result {
    uint64_t bytes_written;
    uint64_t processes;
    char missing[MESSAGE_MAX_TEXT + 1]; /* one line that names what is incomplete; "": nothing */
    struct message_profile_place *profile_places; /* owned; freed by capture_result_free() */
    size_t profile_place_count;
    bool may_be_empty; /* processes may have no threads, since only some were requested */
};

/* Copies the contents of MESSAGE; its places replace the previous ones. Returns 0 or -ENOMEM. */
int capture_result_take(struct capture_result *result, const struct message_capture_done *message);

void capture_result_free(struct capture_result *result);

#endif
