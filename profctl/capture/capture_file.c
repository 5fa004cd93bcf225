#include "profctl/capture/capture_file.h"

#include <errno.h>
#include <fcntl.h>
#include <libgen.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

#include "common/output_pattern.h"
#include "json/json_writer.h"

enum {
    FILE_MODE = 0666, /* less the umask */
    /* Most of what higher levels save, at a third of their time. */
    GZIP_LEVEL = 3,
    GZIP_BUFFER_BYTES = 256 * 1024,
};

#define RAW_ENDING ".profd"

struct capture_file {
    char *path, *directory;
    char *temporary; /* its name while it is there; NULL: the file has no name yet */
    bool is_default;
    bool is_compressed, is_raw;
    int raw_fd, fd; /* -1: not open */
    gzFile gzip;    /* owns fd while it is open */
};

static bool cannot_write(const struct capture_file *file, int error, struct failure *failure)
{
    const char *advice = error == ENOSPC   ? "; make room, or choose another place with -o"
                         : error == ENOENT ? "; make the folder, or choose another place with -o"
                                           : "; choose another place with -o";

    failure_set(failure, EXIT_CODE_FAILED, "cannot write %s: %s%s", file->path, strerror(error),
                advice);
    return false;
}

static char *directory_of(const char *path)
{
    char *copy = strdup(path);
    char *directory = copy != NULL ? strdup(dirname(copy)) : NULL;

    free(copy);
    return directory;
}

/* --- Preparing --- */

/* Whether a file system, or an old kernel, has no files without a name. */
static bool is_tmpfile_unknown(int error)
{
    return error == EOPNOTSUPP || error == EISDIR || error == EINVAL;
}

/* A file without a name: it goes away with its descriptors, however we end. */
int capture_file_open_nameless(const char *directory)
{
    char *name = NULL;
    int fd = open(directory, O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);

    if (fd >= 0 || !is_tmpfile_unknown(errno))
        return fd >= 0 ? fd : -errno;
    if (asprintf(&name, "%s/.profctl-raw-XXXXXX", directory) < 0)
        return -ENOMEM;
    fd = mkostemp(name, O_CLOEXEC);
    if (fd < 0)
        fd = -errno;
    else
        unlink(name);
    free(name);
    return fd;
}

/* What stands at PATH already must be something that a new file may take the place of. */
static bool check_target(const struct capture_file *file, struct failure *failure)
{
    struct stat status;

    if (stat(file->path, &status) != 0)
        return errno == ENOENT || cannot_write(file, errno, failure);
    if (S_ISDIR(status.st_mode))
        return cannot_write(file, EISDIR, failure);
    if (S_ISREG(status.st_mode))
        return true;
    failure_set(failure, EXIT_CODE_USAGE, "%s is not a regular file; choose another name with -o",
                file->path);
    return false;
}

static bool is_json(const char *path)
{
    return path == NULL || output_name_ends_in(path, ".json") ||
           output_name_ends_in(path, ".json.gz");
}

bool capture_file_prepare(const char *path, struct capture_file **out, struct failure *failure)
{
    if (is_json(path))
        return capture_file_prepare_any(path, out, failure);
    failure_set(failure, EXIT_CODE_USAGE,
                "'%s' does not end in .json or .json.gz, which choose the format", path);
    return false;
}

bool capture_file_prepare_capture(const char *path, struct capture_file **out,
                                  struct failure *failure)
{
    bool is_raw = path != NULL && output_name_ends_in(path, RAW_ENDING);

    if (!is_raw && !is_json(path)) {
        failure_set(failure, EXIT_CODE_USAGE,
                    "'%s' does not end in .json, .json.gz or " RAW_ENDING
                    ", which choose the format",
                    path);
        return false;
    }
    if (!capture_file_prepare_any(path, out, failure))
        return false;
    (*out)->is_raw = is_raw;
    return true;
}

bool capture_file_prepare_any(const char *path, struct capture_file **out, struct failure *failure)
{
    struct capture_file *file = calloc(1, sizeof(*file));

    if (file == NULL) {
        failure_set(failure, EXIT_CODE_FAILED, "out of memory");
        return false;
    }
    file->is_default = path == NULL;
    file->raw_fd = file->fd = -1;
    file->path = strdup(path != NULL ? path : CAPTURE_FILE_DEFAULT);
    file->directory = file->path != NULL ? directory_of(file->path) : NULL;
    if (file->directory == NULL) {
        failure_set(failure, EXIT_CODE_FAILED, "out of memory");
        capture_file_close(file);
        return false;
    }
    file->is_compressed = output_name_ends_in(file->path, ".gz");
    file->raw_fd = capture_file_open_nameless(file->directory);
    if (file->raw_fd < 0 ? !cannot_write(file, -file->raw_fd, failure)
                         : !check_target(file, failure)) {
        capture_file_close(file);
        return false;
    }
    *out = file;
    return true;
}

bool capture_file_is_raw(const struct capture_file *file)
{
    return file->is_raw;
}

int capture_file_raw_fd(const struct capture_file *file)
{
    return file->is_raw ? file->fd : file->raw_fd;
}

/* --- Writing --- */

/* mkostemp makes files that only their owner may read; a capture is an ordinary file. */
static void apply_umask(int fd)
{
    mode_t mask = umask(0);

    umask(mask);
    (void)fchmod(fd, FILE_MODE & ~mask);
}

static void forget_temporary(struct capture_file *file)
{
    free(file->temporary);
    file->temporary = NULL;
}

/* A name for the time between being written and being put in place. */
static int name_temporary(struct capture_file *file, const char *ending)
{
    if (asprintf(&file->temporary, "%s/.profctl-%s", file->directory, ending) >= 0)
        return 0;
    file->temporary = NULL;
    return -ENOMEM;
}

/* Where files cannot be without a name. */
static int open_named(struct capture_file *file)
{
    int error = name_temporary(file, "XXXXXX");

    if (error < 0)
        return error;
    file->fd = mkostemp(file->temporary, O_CLOEXEC);
    if (file->fd < 0) {
        error = -errno;
        forget_temporary(file);
        return error;
    }
    apply_umask(file->fd);
    return 0;
}

static int open_file(struct capture_file *file)
{
    file->fd = open(file->directory, O_TMPFILE | O_RDWR | O_CLOEXEC, FILE_MODE);
    if (file->fd >= 0)
        return 0;
    return is_tmpfile_unknown(errno) ? open_named(file) : -errno;
}

bool capture_file_create(struct capture_file *file, struct failure *failure)
{
    int error;

    /* A limit on file sizes is an error like a full disk, and not the end. What we start has been
     * started by now, and did not inherit this. */
    signal(SIGXFSZ, SIG_IGN);
    error = open_file(file);
    if (error < 0)
        return cannot_write(file, -error, failure);
    if (!file->is_compressed)
        return true;
    file->gzip = gzdopen(file->fd, "wb");
    if (file->gzip == NULL || gzbuffer(file->gzip, GZIP_BUFFER_BYTES) != 0 ||
        gzsetparams(file->gzip, GZIP_LEVEL, Z_DEFAULT_STRATEGY) != Z_OK)
        return cannot_write(file, ENOMEM, failure);
    return true;
}

/* Lets go what was written. */
static void discard_file(struct capture_file *file)
{
    if (file->gzip != NULL)
        (void)gzclose(file->gzip);
    else if (file->fd >= 0)
        close(file->fd);
    file->gzip = NULL;
    file->fd = -1;
    if (file->temporary != NULL)
        unlink(file->temporary);
    forget_temporary(file);
}

bool capture_file_restart(struct capture_file *file, struct failure *failure)
{
    discard_file(file);
    return capture_file_create(file, failure);
}

static int gzip_error(gzFile gzip)
{
    int code;

    (void)gzerror(gzip, &code);
    return code == Z_ERRNO && errno != 0 ? -errno : -EIO;
}

static int write_compressed(struct capture_file *file, const char *bytes, size_t count)
{
    while (count > 0) {
        unsigned piece = count < (1u << 30) ? (unsigned)count : 1u << 30;

        errno = 0;
        if (gzwrite(file->gzip, bytes, piece) != (int)piece)
            return gzip_error(file->gzip);
        bytes += piece;
        count -= piece;
    }
    return 0;
}

int capture_file_write(void *context, const char *bytes, size_t count)
{
    struct capture_file *file = context;

    return file->gzip != NULL ? write_compressed(file, bytes, count)
                              : json_sink_fd(&file->fd, bytes, count);
}

/* --- Putting it in place --- */

/* Writes out what zlib and the kernel hold back, where errors such as a full disk show late. */
static int finish_file(struct capture_file *file)
{
    int error = 0;

    if (file->gzip != NULL) {
        errno = 0;
        if (gzclose(file->gzip) != Z_OK)
            error = errno != 0 ? -errno : -EIO;
    } else if (close(file->fd) != 0) {
        error = -errno;
    }
    file->gzip = NULL;
    file->fd = -1;
    return error;
}

/* Gives the file a name, from which it can be renamed over an older one. */
static int link_temporary(struct capture_file *file)
{
    char descriptor[32], ending[16];
    int error;

    if (file->temporary != NULL)
        return 0;
    snprintf(descriptor, sizeof(descriptor), "/proc/self/fd/%d", file->fd);
    snprintf(ending, sizeof(ending), "%d", getpid());
    error = name_temporary(file, ending);
    if (error < 0)
        return error;
    unlink(file->temporary); /* of one that had our process id and was killed at this point */
    if (linkat(AT_FDCWD, descriptor, AT_FDCWD, file->temporary, AT_SYMLINK_FOLLOW) == 0)
        return 0;
    error = -errno;
    forget_temporary(file);
    return error;
}

static int keep_old(const struct capture_file *file)
{
    if (!file->is_default)
        return 0;
    return rename(CAPTURE_FILE_DEFAULT, CAPTURE_FILE_OLD) == 0 || errno == ENOENT ? 0 : -errno;
}

bool capture_file_commit(struct capture_file *file, struct failure *failure)
{
    int error = link_temporary(file);

    if (error == 0)
        error = finish_file(file);
    if (error == 0)
        error = keep_old(file);
    if (error == 0 && rename(file->temporary, file->path) != 0)
        error = -errno;
    if (error < 0)
        return cannot_write(file, -error, failure);
    forget_temporary(file);
    return true;
}

void capture_file_close(struct capture_file *file)
{
    if (file == NULL)
        return;
    discard_file(file);
    if (file->raw_fd >= 0)
        close(file->raw_fd);
    free(file->directory);
    free(file->path);
    free(file);
}

const char *capture_file_path(const struct capture_file *file)
{
    return file->path;
}
