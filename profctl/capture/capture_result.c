#include "profctl/capture/capture_result.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int copy_places(struct capture_result *result, const struct message_string *from)
{
    size_t count = from->length / sizeof(*result->profile_places);

    capture_result_free(result);
    if (count == 0)
        return 0;
    result->profile_places = malloc(count * sizeof(*result->profile_places));
    if (result->profile_places == NULL)
        return -ENOMEM;
    memcpy(result->profile_places, from->bytes, count * sizeof(*result->profile_places));
    result->profile_place_count = count;
    return 0;
}

int capture_result_take(struct capture_result *result, const struct message_capture_done *message)
{
    result->bytes_written = message->bytes_written;
    result->processes = message->processes;
    snprintf(result->missing, sizeof(result->missing), "%.*s", (int)message->missing.length,
             message->missing.bytes);
    return copy_places(result, &message->profile_places);
}

void capture_result_free(struct capture_result *result)
{
    free(result->profile_places);
    result->profile_places = NULL;
    result->profile_place_count = 0;
}
