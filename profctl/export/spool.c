#include "profctl/export/spool.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

enum { NAME_BYTES = 32 };

static const char lock_name[] = "lock";
static const char new_name[] = "new.batch"; /* until it is whole */

struct spool_file {
    uint64_t number; /* its name; rising */
    uint64_t bytes;
};

struct spool {
    int directory; /* descriptors */
    int lock;
    uint64_t limit_bytes, bytes;
    struct mapped_array files; /* struct spool_file, the oldest first … */
    size_t first;              /* … from here on */
    uint64_t next_number;
    struct spool_losses losses;
    struct mapped_array buffer; /* char: of a file */
};

static void name_file(uint64_t number, char name[NAME_BYTES])
{
    snprintf(name, NAME_BYTES, "%016" PRIx64 ".batch", number);
}

/* --- What is there --- */

static struct spool_file *first_file(const struct spool *spool)
{
    return spool->first < spool->files.count
               ? (struct spool_file *)spool->files.items + spool->first
               : NULL;
}

static int note_file(struct spool *spool, uint64_t number, uint64_t bytes)
{
    struct spool_file *file = mapped_array_push(&spool->files, sizeof(*file));

    if (file == NULL)
        return -ENOMEM;
    *file = (struct spool_file){ number, bytes };
    spool->bytes += bytes;
    if (number >= spool->next_number)
        spool->next_number = number + 1;
    return 0;
}

static bool is_older(const void *a, const void *b)
{
    return ((const struct spool_file *)a)->number < ((const struct spool_file *)b)->number;
}

static int note_entry(struct spool *spool, const char *name)
{
    char *end, right[NAME_BYTES];
    uint64_t number = strtoull(name, &end, 16);
    struct stat status;

    name_file(number, right);
    if (strcmp(name, new_name) == 0) {
        spool->losses.torn++;
        return unlinkat(spool->directory, name, 0) < 0 ? -errno : 0;
    }
    if (strcmp(name, right) != 0)
        return 0;
    if (fstatat(spool->directory, name, &status, AT_SYMLINK_NOFOLLOW) < 0)
        return -errno;
    return note_file(spool, number, (uint64_t)status.st_size);
}

static int list_files(struct spool *spool)
{
    int fd = openat(spool->directory, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    DIR *list = fd >= 0 ? fdopendir(fd) : NULL;
    const struct dirent *entry;
    int error = 0;

    if (list == NULL) {
        error = -errno;
        if (fd >= 0)
            close(fd);
        return error;
    }
    while (error == 0 && (entry = readdir(list)) != NULL)
        error = note_entry(spool, entry->d_name);
    closedir(list);
    mapped_array_sort(&spool->files, sizeof(struct spool_file), is_older);
    return error;
}

/* --- Files --- */

static int write_all(int fd, const char *bytes, size_t count)
{
    while (count > 0) {
        ssize_t written = write(fd, bytes, count);
        if (written < 0 && errno != EINTR)
            return -errno;
        if (written > 0) {
            bytes += written;
            count -= (size_t)written;
        }
    }
    return 0;
}

static int write_file(const struct spool *spool, const char *name)
{
    int fd = openat(spool->directory, new_name, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
    int error = fd < 0 ? -errno : write_all(fd, spool->buffer.items, spool->buffer.count);

    if (fd >= 0 && close(fd) < 0 && error == 0)
        error = -errno;
    if (error == 0 && renameat(spool->directory, new_name, spool->directory, name) < 0)
        error = -errno;
    if (error < 0)
        (void)unlinkat(spool->directory, new_name, 0); /* when it is there */
    return error;
}

static int read_file(struct spool *spool, const struct spool_file *file)
{
    char name[NAME_BYTES];
    ssize_t got = 1;

    name_file(file->number, name);
    int fd = openat(spool->directory, name, O_RDONLY | O_NOFOLLOW | O_CLOEXEC);
    int error = fd < 0 ? -errno : mapped_array_reserve(&spool->buffer, file->bytes + 1, 1);
    spool->buffer.count = 0;
    while (error == 0 && got > 0) {
        got = read(fd, (char *)spool->buffer.items + spool->buffer.count,
                   file->bytes - spool->buffer.count);
        error = got < 0 ? -errno : 0;
        spool->buffer.count += got > 0 ? (size_t)got : 0;
    }
    if (fd >= 0)
        close(fd);
    return error;
}

/* --- The queue --- */

void spool_remove_first(struct spool *spool)
{
    const struct spool_file *file = first_file(spool);
    char name[NAME_BYTES];

    if (file == NULL)
        return;
    name_file(file->number, name);
    (void)unlinkat(spool->directory, name,
                   0); /* one that stays is sent again by the next exporter */
    spool->bytes -= file->bytes;
    spool->first++;
    if (spool->first == spool->files.count)
        spool->first = spool->files.count = 0;
}

void spool_count_loss(struct spool *spool, const struct export_batch *batch)
{
    spool->losses.rows += batch->rows;
    spool->losses.batches++;
    spool->losses.has_lost_stacks |= batch->kind == EXPORT_STACKS;
}

void spool_lose_first(struct spool *spool, const struct export_batch *batch)
{
    spool_count_loss(spool, batch);
    spool_remove_first(spool);
}

int spool_first(struct spool *spool, struct export_batch *batch)
{
    const struct spool_file *file;

    while ((file = first_file(spool)) != NULL) {
        int error = read_file(spool, file);
        if (error == 0)
            error = export_batch_get(&spool->buffer, batch);
        if (error != -EBADMSG && error != -ENOENT)
            return error;
        spool->losses.torn++;
        spool_remove_first(spool);
    }
    return -ENOENT;
}

/* Lets the oldest go until so many bytes fit. */
static int make_room(struct spool *spool, uint64_t bytes)
{
    struct export_batch oldest = { 0 };
    int error = bytes <= spool->limit_bytes ? 0 : -EFBIG;

    while (error == 0 && spool->bytes + bytes > spool->limit_bytes) {
        error = spool_first(spool, &oldest);
        if (error == 0) {
            spool_lose_first(spool, &oldest);
            spool->losses.crowded_out++;
        }
    }
    export_batch_free(&oldest);
    return error == -ENOENT ? 0 : error;
}

int spool_add(struct spool *spool, const struct export_batch *batch)
{
    struct mapped_array file = { 0 };
    char name[NAME_BYTES];
    int error = export_batch_put(batch, &file);

    if (error == 0)
        error = make_room(spool, file.count);
    mapped_array_free(&spool->buffer);
    spool->buffer = file;
    name_file(spool->next_number, name);
    if (error == 0)
        error = write_file(spool, name);
    if (error == 0)
        error = note_file(spool, spool->next_number, spool->buffer.count);
    if (error < 0)
        spool_count_loss(spool, batch);
    return error;
}

int spool_directory(const struct spool *spool)
{
    return spool->directory;
}

uint64_t spool_bytes(const struct spool *spool)
{
    return spool->bytes;
}

struct spool_losses *spool_losses(struct spool *spool)
{
    return &spool->losses;
}

/* --- Life cycle --- */

static int make_folders(const char *path)
{
    char part[PATH_MAX];
    size_t length = strlen(path);

    if (length >= sizeof(part))
        return -ENAMETOOLONG;
    memcpy(part, path, length + 1);
    for (char *slash = strchr(part + 1, '/'); slash != NULL; slash = strchr(slash + 1, '/')) {
        *slash = '\0';
        if (mkdir(part, 0700) < 0 && errno != EEXIST)
            return -errno;
        *slash = '/';
    }
    return mkdir(part, 0700) < 0 && errno != EEXIST ? -errno : 0;
}

static int open_directory(struct spool *spool, const char *path)
{
    int error = make_folders(path);

    if (error < 0)
        return error;
    spool->directory = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (spool->directory < 0)
        return -errno;
    spool->lock = openat(spool->directory, lock_name, O_RDWR | O_CREAT | O_CLOEXEC, 0600);
    if (spool->lock < 0 || flock(spool->lock, LOCK_EX | LOCK_NB) < 0)
        return -errno;
    return list_files(spool);
}

bool spool_open(const char *directory, uint64_t limit_bytes, struct spool **out,
                struct failure *failure)
{
    struct spool *spool = calloc(1, sizeof(*spool));
    int error = spool != NULL ? 0 : -ENOMEM;

    if (spool != NULL) {
        *spool = (struct spool){ .directory = -1, .lock = -1, .limit_bytes = limit_bytes };
        error = open_directory(spool, directory);
    }
    if (error == 0) {
        *out = spool;
        return true;
    }
    if (error == -EWOULDBLOCK)
        failure_set(failure, EXIT_CODE_FAILED,
                    "another exporter has the spool in %s; give this one its own with --spool",
                    directory);
    else
        failure_set(failure, EXIT_CODE_FAILED, "cannot use the spool in %s: %s", directory,
                    strerror(-error));
    spool_close(spool);
    return false;
}

void spool_close(struct spool *spool)
{
    if (spool == NULL)
        return;
    if (spool->lock >= 0)
        close(spool->lock);
    if (spool->directory >= 0)
        close(spool->directory);
    mapped_array_free(&spool->files);
    mapped_array_free(&spool->buffer);
    free(spool);
}
