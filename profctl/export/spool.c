#include "profctl/export/spool.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "profctl/export/spool_files.h"
#include "profctl/export/spool_folder.h"

enum {
    NAME_BYTES = 32,
    /* No range has so many rows. Whatever has more is not a batch, and may claim to be longer than
     * memory. */
    MAX_FILE_BYTES = 64 * 1024 * 1024,
    MAX_HELD_BYTES = 16 * 1024 * 1024, /* in memory, while files cannot be written */
};

struct spool_file {
    uint64_t number; /* its name; rising */
    uint64_t bytes;
    bool was_found;           /* rather than added */
    struct mapped_array held; /* char: what it would have; empty: it is a file */
};

struct spool {
    struct spool_folder folder;
    uint64_t limit_bytes, bytes;
    struct mapped_array files; /* struct spool_file, the oldest first … */
    size_t first;              /* … from here on */
    uint64_t next_number;
    struct spool_losses losses;
    uint64_t held_bytes;        /* of those that are in memory … */
    bool has_told_held;         /* … and the user knows that some are */
    struct mapped_array buffer; /* char: of a file */
};

static void name_file(uint64_t number, char name[NAME_BYTES])
{
    snprintf(name, NAME_BYTES, "%016" PRIx64 ".batch", number);
}

/* --- What is there --- */

/* What they were is not known: stacks may have been among them. */
static void count_damaged(struct spool *spool, size_t files)
{
    spool->losses.torn += files;
    spool->losses.has_lost_stacks |= files > 0;
}

static const char too_large[] = "larger than 64 MB";

static const char *what_it_is(mode_t mode)
{
    return S_ISDIR(mode) ? "a directory" : "not a regular file";
}

static struct spool_file *first_file(const struct spool *spool)
{
    return spool->first < spool->files.count
               ? (struct spool_file *)spool->files.items + spool->first
               : NULL;
}

static int note_file(struct spool *spool, uint64_t number, uint64_t bytes, bool was_found)
{
    struct spool_file *file = mapped_array_push(&spool->files, sizeof(*file));

    if (file == NULL)
        return -ENOMEM;
    *file = (struct spool_file){ .number = number, .bytes = bytes, .was_found = was_found };
    spool->bytes += bytes;
    if (number >= spool->next_number)
        spool->next_number = number + 1;
    return 0;
}

static bool is_older(const void *a, const void *b)
{
    return ((const struct spool_file *)a)->number < ((const struct spool_file *)b)->number;
}

/* What is no batch stays where it is: it may be somebody's, and nobody reads it again. */
static void skip_batch(struct spool *spool, const char *name, const char *why)
{
    say("cannot read the batch %s/%s (%s) and skipped it; remove it, or make it readable and "
        "restart the exporter",
        spool->folder.path, name, why);
    count_damaged(spool, 1);
}

static int note_batch(struct spool *spool, uint64_t number, const char *name)
{
    struct stat status;

    if (fstatat(spool->folder.directory, name, &status, AT_SYMLINK_NOFOLLOW) < 0)
        return -errno;
    bool is_file = S_ISREG(status.st_mode);
    if (is_file && status.st_size <= MAX_FILE_BYTES)
        return note_file(spool, number, (uint64_t)status.st_size, true);
    skip_batch(spool, name, is_file ? too_large : what_it_is(status.st_mode));
    return 0;
}

static int note_entry(struct spool *spool, const char *name)
{
    char *end, right[NAME_BYTES];
    uint64_t number = strtoull(name, &end, 16);

    name_file(number, right);
    if (strcmp(name, SPOOL_NEW_NAME) == 0) {
        count_damaged(spool, 1);
        return unlinkat(spool->folder.directory, name, 0) < 0 ? -errno : 0;
    }
    return strcmp(name, right) == 0 ? note_batch(spool, number, name) : 0;
}

static int list_files(struct spool *spool)
{
    int fd = openat(spool->folder.directory, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
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

/* Whether it is this process that lacks something, so that the file may be read later. */
static bool is_want_of_means(int error)
{
    return error == -ENOMEM || error == -EMFILE || error == -ENFILE || error == -EINTR;
}

/* --- The queue --- */

static bool is_held(const struct spool_file *file)
{
    return file->held.count > 0;
}

static void release_held(struct spool *spool, struct spool_file *file)
{
    spool->held_bytes -= file->held.count;
    mapped_array_free(&file->held);
}

/* The oldest is no longer the spool's. */
static void leave_first(struct spool *spool)
{
    spool->bytes -= first_file(spool)->bytes;
    release_held(spool, first_file(spool));
    spool->first++;
    if (spool->first == spool->files.count)
        spool->first = spool->files.count = 0;
}

/* One that stays is sent by the next exporter. */
static void remove_batch(const struct spool *spool, const struct spool_file *file)
{
    char name[NAME_BYTES];

    name_file(file->number, name);
    if (!is_held(file) && unlinkat(spool->folder.directory, name, 0) < 0 && errno != ENOENT)
        say("cannot remove the batch %s/%s: %s; remove it, or its rows are exported twice",
            spool->folder.path, name, strerror(errno));
}

void spool_remove_first(struct spool *spool)
{
    const struct spool_file *file = first_file(spool);

    if (file == NULL)
        return;
    remove_batch(spool, file);
    leave_first(spool);
}

bool spool_has_found_first(const struct spool *spool)
{
    const struct spool_file *file = first_file(spool);

    return file != NULL && file->was_found;
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

/* The oldest is damaged, or is not there, or is none at all. */
static void drop_first(struct spool *spool, const char *name, int error)
{
    if (error == -EBADMSG || error == -ENOENT) {
        count_damaged(spool, 1);
        spool_remove_first(spool);
        return;
    }
    skip_batch(spool, name,
               error == -EISDIR  ? what_it_is(S_IFDIR)
               : error == -ENXIO ? what_it_is(S_IFIFO)
                                 : strerror(-error));
    leave_first(spool);
}

static int read_batch(struct spool *spool, const struct spool_file *file, const char *name,
                      struct export_batch *batch)
{
    if (is_held(file))
        return export_batch_get(&file->held, batch);
    int error = spool_file_read(spool->folder.directory, name, file->bytes, &spool->buffer);
    return error < 0 ? error : export_batch_get(&spool->buffer, batch);
}

int spool_first(struct spool *spool, struct export_batch *batch)
{
    const struct spool_file *file;
    char name[NAME_BYTES];

    while ((file = first_file(spool)) != NULL) {
        name_file(file->number, name);
        int error = read_batch(spool, file, name, batch);
        if (error == 0 || is_want_of_means(error))
            return error;
        drop_first(spool, name, error);
    }
    return -ENOENT;
}

/* Lets the oldest go until so many bytes fit. */
static int make_room(struct spool *spool, uint64_t bytes)
{
    struct export_batch oldest = { 0 };
    int error = bytes <= spool->limit_bytes && bytes <= MAX_FILE_BYTES ? 0 : -EFBIG;

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

static void forget_all(struct spool *spool)
{
    for (size_t i = spool->first; i < spool->files.count; i++)
        release_held(spool, (struct spool_file *)spool->files.items + i);
    spool->first = spool->files.count = 0;
    spool->bytes = 0;
}

int spool_keep_folder(struct spool *spool)
{
    size_t batches = spool->files.count - spool->first;

    if (!spool_folder_is_gone(&spool->folder))
        return 0;
    int error = spool_folder_renew(&spool->folder);
    if (error < 0)
        return error;
    say("the spool in %s was removed, with %zu batches; created an empty one", spool->folder.path,
        batches);
    count_damaged(spool, batches);
    forget_all(spool);
    return list_files(spool);
}

/* A name that nothing has; somebody else's things may have some. */
static void name_next(struct spool *spool, char name[NAME_BYTES])
{
    struct stat status;

    name_file(spool->next_number, name);
    while (fstatat(spool->folder.directory, name, &status, AT_SYMLINK_NOFOLLOW) == 0)
        name_file(++spool->next_number, name);
}

/* The batch in the buffer, which cannot be written because of ERROR, waits there. Returns 0, or
 * ERROR if there is no room. */
static int hold_batch(struct spool *spool, int error)
{
    size_t bytes = spool->buffer.count;

    if (spool->held_bytes + bytes > MAX_HELD_BYTES)
        return error;
    int note_error = note_file(spool, spool->next_number, bytes, false);
    if (note_error < 0)
        return note_error;
    struct spool_file *files = spool->files.items;
    files[spool->files.count - 1].held = spool->buffer;
    spool->held_bytes += bytes;
    spool->buffer = (struct mapped_array){ 0 };
    if (!spool->has_told_held)
        say("cannot write to the spool in %s: %s; rows wait in memory, and are lost if the "
            "exporter "
            "ends",
            spool->folder.path, strerror(-error));
    spool->has_told_held = true;
    return 0;
}

static int keep_batch(struct spool *spool, const char *name)
{
    int error = spool_file_write(spool->folder.directory, name, &spool->buffer);

    if (error < 0)
        return hold_batch(spool, error);
    if (spool->held_bytes == 0)
        spool->has_told_held = false;
    return note_file(spool, spool->next_number, spool->buffer.count, false);
}

int spool_add(struct spool *spool, const struct export_batch *batch)
{
    struct mapped_array file = { 0 };
    char name[NAME_BYTES];
    int error = export_batch_put(batch, &file);

    if (error == 0)
        error = spool_keep_folder(spool);
    if (error == 0)
        error = make_room(spool, file.count);
    mapped_array_free(&spool->buffer);
    spool->buffer = file;
    name_next(spool, name);
    if (error == 0)
        error = keep_batch(spool, name);
    if (error < 0)
        spool_count_loss(spool, batch);
    return error;
}

uint64_t spool_next_number(const struct spool *spool)
{
    return spool->next_number;
}

size_t spool_drop_from(struct spool *spool, uint64_t number)
{
    struct spool_file *files = spool->files.items;
    size_t dropped = 0;

    while (spool->files.count > spool->first && files[spool->files.count - 1].number >= number) {
        struct spool_file *last = &files[spool->files.count - 1];
        remove_batch(spool, last);
        release_held(spool, last);
        spool->bytes -= last->bytes;
        spool->files.count--;
        dropped++;
    }
    return dropped;
}

int spool_directory(const struct spool *spool)
{
    return spool->folder.directory;
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

static void set_why_not(struct failure *failure, const char *directory,
                        const struct spool_folder *folder, int error)
{
    if (folder != NULL && folder->is_of_another)
        failure_set(failure, EXIT_CODE_FAILED,
                    "the spool in %s belongs to another user; give the folder to this one, or "
                    "another with --spool",
                    directory);
    else if (folder != NULL && folder->is_open_to_others)
        failure_set(failure, EXIT_CODE_FAILED,
                    "the spool in %s is not safe: others may write to it; run chmod 700 %s",
                    directory, directory);
    else if (error == -EWOULDBLOCK)
        failure_set(failure, EXIT_CODE_FAILED,
                    "another exporter uses the spool in %s; give this one its own with --spool",
                    directory);
    else if (folder != NULL && folder->is_lock_refused)
        failure_set(failure, EXIT_CODE_FAILED,
                    "%s/lock is not a file, where the spool needs one; remove it", directory);
    else if (error == -EISDIR) /* what is there is removed, but for a directory */
        failure_set(failure, EXIT_CODE_FAILED,
                    "%s/%s is a directory, where the spool needs a file; remove it", directory,
                    SPOOL_NEW_NAME);
    else
        failure_set(failure, EXIT_CODE_FAILED, "cannot use the spool in %s: %s", directory,
                    strerror(-error));
}

bool spool_open(const char *directory, uint64_t limit_bytes, struct spool **out,
                struct failure *failure)
{
    struct spool *spool = calloc(1, sizeof(*spool));
    int error = spool != NULL ? spool_folder_open(directory, &spool->folder) : -ENOMEM;

    if (error == 0) {
        spool->limit_bytes = limit_bytes;
        error = list_files(spool);
    }
    if (error == 0) {
        *out = spool;
        return true;
    }
    set_why_not(failure, directory, spool != NULL ? &spool->folder : NULL, error);
    spool_close(spool);
    return false;
}

/* There may be room again: the next exporter sends them. */
static void write_held(struct spool *spool)
{
    struct spool_file *files = spool->files.items;
    char name[NAME_BYTES];

    for (size_t i = spool->first; i < spool->files.count; i++) {
        name_file(files[i].number, name);
        if (is_held(&files[i]) &&
            spool_file_write(spool->folder.directory, name, &files[i].held) == 0)
            release_held(spool, &files[i]);
    }
}

void spool_close(struct spool *spool)
{
    if (spool == NULL)
        return;
    write_held(spool);
    if (spool->held_bytes > 0)
        say("lost the rows that waited in memory: the spool in %s could not be written to",
            spool->folder.path);
    forget_all(spool);
    spool_folder_close(&spool->folder);
    mapped_array_free(&spool->files);
    mapped_array_free(&spool->buffer);
    free(spool);
}
