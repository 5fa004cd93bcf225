#include "profctl/export/covered_file.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "common/system_id.h"
#include "profctl/export/new_file.h"

enum { TEXT_BYTES = BOOT_ID_BYTES + 64 };

static const char file_name[] = "covered";
static const char new_name[] = "covered.new"; /* until it is whole */

/* "BOOT NANOSECONDS", or "BOOT NANOSECONDS BATCH" of a range that has begun. */
static int parse_covered(const char *text, struct covered *covered)
{
    char boot[BOOT_ID_BYTES];
    size_t length = strcspn(text, " ");
    int error = boot_id_read(boot);

    if (error < 0)
        return error;
    if (length != strlen(boot) || memcmp(text, boot, length) != 0)
        return -ENOENT;
    int numbers =
        sscanf(text + length, "%" SCNu64 " %" SCNx64, &covered->until_ns, &covered->first_batch);
    covered->has_begun = numbers == 2;
    return numbers >= 1 ? 0 : -EBADMSG;
}

int covered_file_read(int directory, struct covered *covered)
{
    char text[TEXT_BYTES];
    int fd = openat(directory, file_name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
    ssize_t length = fd >= 0 ? read(fd, text, sizeof(text) - 1) : -1;
    int error = length < 0 ? -errno : 0;

    if (fd >= 0)
        close(fd);
    if (error < 0)
        return error;
    text[length] = '\0';
    return parse_covered(text, covered);
}

static int write_text(int directory, const char *text)
{
    int fd = new_file_open(directory, new_name);
    ssize_t written = fd >= 0 ? write(fd, text, strlen(text)) : -1;
    int error = fd < 0 ? fd : written < 0 ? -errno : 0;

    if (error == 0 && (size_t)written != strlen(text))
        error = -ENOSPC;
    if (fd >= 0 && close(fd) < 0 && error == 0)
        error = -errno;
    if (error == 0 && renameat(directory, new_name, directory, file_name) < 0)
        error = -errno;
    return error;
}

int covered_file_write(int directory, const struct covered *covered)
{
    char boot[BOOT_ID_BYTES], text[TEXT_BYTES], batch[TEXT_BYTES] = "";
    int error = boot_id_read(boot);

    if (error == 0) {
        if (covered->has_begun)
            snprintf(batch, sizeof(batch), " %" PRIx64, covered->first_batch);
        snprintf(text, sizeof(text), "%s %" PRIu64 "%.17s\n", boot, covered->until_ns, batch);
        error = write_text(directory, text);
    }
    if (error < 0) {
        (void)unlinkat(directory, new_name, 0); /* where they are: the time that one tells is … */
        (void)unlinkat(directory, file_name, 0); /* … over */
    }
    return error;
}
