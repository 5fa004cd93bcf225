#include "daemon/groups/group_tables.h"

#include <assert.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "buffer/arena.h"
#include "buffer/file_range.h"
#include "buffer/group_reader.h"
#include "daemon/children/child_table.h"
#include "daemon/children/pidfd.h"

enum { BOOK_SHARE = 2 }; /* of the book, that one process may have */

/* --- From an arena --- */

/* How many bytes of a table there are; 0: none, or no arena. */
static int find_table(int arena_fd, struct arena_header *header, uint64_t *bytes)
{
    struct stat status;
    ssize_t got = pread(arena_fd, header, sizeof(*header), 0);

    *bytes = 0;
    if (got < 0 || fstat(arena_fd, &status) < 0)
        return -errno;
    if (got == (ssize_t)sizeof(*header) && header->magic == ARENA_MAGIC)
        *bytes = group_table_readable_bytes(&header->groups, (uint64_t)status.st_size);
    return 0;
}

static void describe_part(struct group_part *part, const struct group_owner *owner,
                          const struct group_table_header *table, uint64_t table_bytes)
{
    size_t name_bytes = strlen(owner->name);
    size_t name_room = group_snapshot_name_room(name_bytes);

    part->process = (struct group_snapshot_process){
        .bytes = sizeof(part->process) + name_room + table_bytes,
        .start_ns = owner->start_ns,
        .end_ns = owner->end_ns,
        .since_ns = atomic_load(&table->since_ns),
        .folded = atomic_load(&table->folded),
        .cancelled = atomic_load(&table->cancelled),
        .moved = atomic_load(&table->moved),
        .table_bytes = table_bytes,
        .pid = owner->pid,
        .verdict = owner->verdict,
        .code = owner->code,
        .name_bytes = (uint32_t)name_bytes,
    };
    memset(part->rest, 0, name_room);
    memcpy(part->rest, owner->name, name_bytes);
}

int group_part_read(int arena_fd, const struct group_owner *owner, struct group_part **out)
{
    struct arena_header header;
    uint64_t bytes;
    size_t name_room = group_snapshot_name_room(strlen(owner->name));
    int error = find_table(arena_fd, &header, &bytes);

    *out = NULL;
    if (error < 0 || bytes == 0)
        return error;
    struct group_part *part = malloc(sizeof(*part) + name_room + bytes);
    if (part == NULL)
        return -ENOMEM;
    part->next = NULL;
    part->pidfd = -1;
    describe_part(part, owner, &header.groups, bytes);
    error = file_range_read(arena_fd, part->rest + name_room, bytes, header.groups.offset);
    if (error < 0)
        free(part);
    else
        *out = part;
    return error;
}

/* --- The book --- */

static void free_part(struct group_part *part)
{
    if (part->pidfd >= 0)
        close(part->pidfd);
    free(part);
}

static void forget_oldest(struct group_book *book)
{
    struct group_part **link = &book->latest;

    assert(*link != NULL); /* who has bytes has parts */
    while ((*link)->next != NULL)
        link = &(*link)->next;
    book->bytes -= (*link)->process.bytes;
    free_part(*link);
    *link = NULL;
    book->forgotten++;
}

void group_book_add(struct group_book *book, struct group_part *part, uint64_t most_bytes)
{
    if (part->process.bytes > most_bytes / BOOK_SHARE) {
        free_part(part);
        book->forgotten++;
        return;
    }
    part->next = book->latest;
    book->latest = part;
    book->bytes += part->process.bytes;
    group_book_learn_ends(book);
    while (book->bytes > most_bytes)
        forget_oldest(book);
}

/* Whether there is still something to learn. */
static bool learn_end(struct group_part *part, bool may_wait)
{
    int wait_status, code;
    int error = pidfd_wait_status(part->pidfd, &wait_status);

    if (error == -EAGAIN && may_wait)
        return true;
    if (error == 0) {
        part->process.verdict = (uint32_t)child_verdict_of(wait_status, &code);
        part->process.code = code;
    }
    close(part->pidfd);
    part->pidfd = -1;
    return false;
}

void group_book_learn_ends(struct group_book *book)
{
    unsigned waiting = 0;

    for (struct group_part *part = book->latest; part != NULL; part = part->next) {
        if (part->pidfd >= 0)
            waiting += learn_end(part, waiting < GROUP_BOOK_MOST_DESCRIPTORS);
    }
}

void group_book_clear(struct group_book *book)
{
    while (book->latest != NULL) {
        struct group_part *part = book->latest;
        book->latest = part->next;
        free_part(part);
    }
    *book = (struct group_book){ 0 };
}
