#include "profctl/capture/profile_places.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

enum { BLANK_BYTES = 64 * 1024 };

const struct message_profile_place *
profile_places_find(const struct message_profile_place *profiles, size_t count, uint64_t offset)
{
    size_t low = 0, high = count;

    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (profiles[middle].start <= offset)
            low = middle + 1;
        else
            high = middle;
    }
    if (low == 0 || offset - profiles[low - 1].start >= profiles[low - 1].bytes)
        return NULL;
    return &profiles[low - 1];
}

static int write_bytes_at(int fd, const char *bytes, size_t count, uint64_t offset)
{
    ssize_t written = pwrite(fd, bytes, count, (off_t)offset);

    if (written < 0)
        return -errno;
    return written == (ssize_t)count ? 0 : -EIO;
}

int profile_place_blank(int fd, const struct message_profile_place *profile)
{
    char blanks[BLANK_BYTES];
    int error = profile->bytes >= 2 ? 0 : -EPROTO;

    memset(blanks, ' ', sizeof(blanks));
    for (uint64_t done = 0; error == 0 && done < profile->bytes; done += sizeof(blanks)) {
        uint64_t rest = profile->bytes - done;
        error = write_bytes_at(fd, blanks, rest < sizeof(blanks) ? (size_t)rest : sizeof(blanks),
                               profile->start + done);
    }
    if (error == 0)
        error = write_bytes_at(fd, "{", 1, profile->start);
    if (error == 0)
        error = write_bytes_at(fd, "}", 1, profile->start + profile->bytes - 1);
    return error;
}

void profile_places_remove(struct message_profile_place *profiles, size_t *count,
                           const struct message_profile_place *profile)
{
    size_t at = (size_t)(profile - profiles);

    memmove(profiles + at, profiles + at + 1, (--*count - at) * sizeof(*profiles));
}

void profile_place_tell(const struct message_profile_place *profile, char *missing, size_t capacity)
{
    size_t used = strlen(missing);

    snprintf(missing + used, capacity - used, "%s%llu made a profile that is damaged",
             used > 0 ? "; " : "", (unsigned long long)profile->pid);
}
