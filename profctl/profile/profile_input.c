#include "profctl/profile/profile_input.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

#include "profctl/raw/raw_input.h"
#include "profctl/raw/raw_reader.h"

enum { GZIP_BUFFER_BYTES = 256 * 1024 };

/* A json_source_read over a gzFile, which also reads what is not compressed. */
static ssize_t read_gzip(void *context, char *bytes, size_t count)
{
    gzFile file = context;
    unsigned wanted = count < (1u << 30) ? (unsigned)count : 1u << 30;
    int code, got = gzread(file, bytes, wanted);

    if (got > 0)
        return got;
    /* A file that ends too early is an error only here, not in gzread. */
    (void)gzerror(file, &code);
    if (code == Z_OK || code == Z_STREAM_END)
        return 0;
    return code == Z_ERRNO && errno != 0 ? -errno : -EIO;
}

int profile_input_failed(const struct profile_input *input, int error, struct failure *failure)
{
    const char *detail = input->reader != NULL ? json_reader_error(input->reader) : "";
    bool is_malformed = error == -EPROTO || error == -E2BIG;

    if (is_malformed && detail[0] != '\0')
        return (int)failure_set(failure, EXIT_CODE_FAILED, "%s cannot be read as a profile: %s",
                                input->path, detail);
    if (is_malformed && input->reader != NULL)
        return (int)failure_set(failure, EXIT_CODE_FAILED,
                                "%s cannot be read as a profile: unexpected value before byte "
                                "%" PRIu64,
                                input->path, json_reader_offset(input->reader));
    if (error == -ERANGE)
        return (int)failure_set(failure, EXIT_CODE_FAILED,
                                "%s has times that are too large for the format", input->path);
    return (int)failure_set(failure, EXIT_CODE_FAILED, "cannot read %s: %s", input->path,
                            error == -EIO ? "the file is damaged or cut short" : strerror(-error));
}

bool profile_input_open_file(const char *path, int *fd, struct failure *failure)
{
    const struct profile_input input = { .path = path };
    int json_fd, file_fd = open(path, O_RDONLY | O_CLOEXEC);

    if (file_fd < 0) {
        profile_input_failed(&input, -errno, failure);
        return false;
    }
    if (!raw_reader_knows(file_fd)) {
        *fd = file_fd;
        return true;
    }
    bool is_made = raw_input_open(file_fd, path, &json_fd, failure);
    close(file_fd);
    if (is_made)
        *fd = json_fd;
    return is_made;
}

/* What FILE, at its start, is instead of JSON, as its first byte tells; NULL: it may be JSON. FILE
 * is where it was. */
static const char *other_format(gzFile file)
{
    static const char raw_magic[] = { RAW_MAGIC_LETTERS };
    int first = gzgetc(file);

    if (first >= 0)
        (void)gzungetc(first, file);
    if (first == 0xDC)
        return "a JsonSlabs file; give the capture that it was made of";
    if (first == raw_magic[0])
        return "a raw capture, through a pipe; write it to a regular file first";
    return first == '<' ? "a page; give the capture that it was made of" : NULL;
}

/* Takes FD over on every path. */
static bool open_descriptor(struct profile_input *input, const char *path, int fd,
                            struct failure *failure)
{
    gzFile file = gzdopen(fd, "rbe");
    int error;

    *input = (struct profile_input){ .path = path };
    if (file == NULL) {
        close(fd);
        profile_input_failed(input, -ENOMEM, failure);
        return false;
    }
    (void)gzbuffer(file, GZIP_BUFFER_BYTES);
    input->file = file;
    const char *other = other_format(file);
    if (other != NULL) {
        failure_set(failure, EXIT_CODE_FAILED, "cannot read %s, %s", path, other);
        profile_input_close(input);
        return false;
    }
    error = json_reader_open(read_gzip, file, &input->reader);
    if (error == 0)
        return true;
    input->reader = NULL;
    profile_input_failed(input, error, failure);
    profile_input_close(input);
    return false;
}

bool profile_input_open(struct profile_input *input, const char *path, struct failure *failure)
{
    int fd;

    *input = (struct profile_input){ .path = path };
    return profile_input_open_file(path, &fd, failure) && open_descriptor(input, path, fd, failure);
}

bool profile_input_open_again(struct profile_input *input, const char *path, int fd,
                              struct failure *failure)
{
    int again = fcntl(fd, F_DUPFD_CLOEXEC, 0);

    *input = (struct profile_input){ .path = path };
    if (again >= 0 && lseek(again, 0, SEEK_SET) == 0)
        return open_descriptor(input, path, again, failure);
    profile_input_failed(input, -errno, failure);
    if (again >= 0)
        close(again);
    return false;
}

bool profile_input_is_repeatable(const char *path, struct failure *failure)
{
    struct stat input = { 0 };

    if (stat(path, &input) != 0)
        failure_set(failure, EXIT_CODE_FAILED, "cannot read %s: %s", path, strerror(errno));
    else if (S_ISDIR(input.st_mode))
        failure_set(failure, EXIT_CODE_FAILED, "cannot read %s: %s", path, strerror(EISDIR));
    else if (!S_ISREG(input.st_mode))
        failure_set(failure, EXIT_CODE_USAGE,
                    "%s is read more than once; write it to a regular file first", path);
    else
        return true;
    return false;
}

bool profile_input_is_not(const char *path, const char *output, struct failure *failure)
{
    struct stat input, target;

    if (stat(path, &input) != 0 || stat(output, &target) != 0 || !S_ISREG(input.st_mode) ||
        target.st_dev != input.st_dev || target.st_ino != input.st_ino)
        return true;
    failure_set(failure, EXIT_CODE_USAGE, "%s is an input file; choose another output with -o",
                output);
    return false;
}

void profile_input_close(struct profile_input *input)
{
    if (input->reader != NULL)
        json_reader_close(input->reader);
    if (input->file != NULL)
        (void)gzclose((gzFile)input->file);
    *input = (struct profile_input){ 0 };
}
