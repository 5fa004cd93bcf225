#include "daemon/groups/monitoring.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/sysinfo.h>
#include <unistd.h>

#include "buffer/file_range.h"
#include "buffer/lease_ledger.h"
#include "common/file_name.h"
#include "daemon/children/child_table.h"
#include "daemon/children/child_watch.h"
#include "daemon/log.h"
#include "daemon/outbox.h"
#include "ipc/groups/group_snapshot.h"

/* --- What is needed --- */

void monitoring_init(struct monitoring *monitoring, const struct child_table *children,
                     const struct lease_ledger *ledger)
{
    monitoring->children = children;
    monitoring->ledger = ledger;
}

static uint32_t needs_of(const struct monitoring_demand *demand)
{
    uint32_t needs = demand->of_profd | demand->of_clients;

    return demand->is_of_session || demand->is_of_triggers ? needs | GROUP_NEEDS_USUAL : needs;
}

static void publish_needs(struct monitoring *monitoring, uint32_t needs)
{
    monitoring->needs = needs;
    if (monitoring->ledger->header != NULL)
        atomic_store(&monitoring->ledger->header->group_needs, needs);
}

void monitoring_open(struct monitoring *monitoring, const struct monitoring_demand *demand)
{
    publish_needs(monitoring, needs_of(demand));
}

void monitoring_follow(struct monitoring *monitoring, const struct monitoring_demand *demand)
{
    uint32_t needs = needs_of(demand);

    if (needs == monitoring->needs)
        return;
    publish_needs(monitoring, needs);
    for (const struct child *child = monitoring->children->first; child != NULL;
         child = child->next) {
        if (child->connection != NULL)
            outbox_empty(child->connection, MESSAGE_FOLLOW_GROUPS);
    }
}

/* --- Snapshots --- */

/* What is being written. */
struct writing {
    int fd;
    uint64_t offset;
    struct group_snapshot_head head;
};

static const char *name_of(const struct child *child)
{
    return child->title.text != NULL ? child->title.text : file_name_of(child->executable);
}

static struct group_owner owner_of(const struct child *child)
{
    return (struct group_owner){
        .name = name_of(child),
        .pid = child->pid,
        .start_ns = child->start_ns,
        .end_ns = child->end_ns,
        .verdict = (uint32_t)child->verdict,
        .code = child->code,
    };
}

static int write_part(struct writing *writing, const struct group_part *part)
{
    int error = file_range_write(writing->fd, &part->process, part->process.bytes, writing->offset);

    writing->offset += part->process.bytes;
    writing->head.processes++;
    return error;
}

static int write_living(struct writing *writing, const struct child *child)
{
    const struct group_owner owner = owner_of(child);
    struct group_part *part;
    int error = child->arena_fd >= 0 ? group_part_read(child->arena_fd, &owner, &part) : -ENODATA;

    if (error < 0 || part == NULL) {
        writing->head.unmeasured++; /* an arena that cannot be read harms its own process alone */
        return error == -ENOMEM ? error : 0;
    }
    error = write_part(writing, part);
    free(part);
    return error;
}

static int write_all(struct monitoring *monitoring, struct writing *writing)
{
    int error = 0;

    group_book_learn_ends(&monitoring->ended);
    for (const struct child *child = monitoring->children->first; child != NULL && error == 0;
         child = child->next) {
        if (child->state != CHILD_ENDED)
            error = write_living(writing, child);
    }
    for (const struct group_part *part = monitoring->ended.latest; part != NULL && error == 0;
         part = part->next)
        error = write_part(writing, part);
    return error;
}

int monitoring_write_snapshot(struct monitoring *monitoring, int fd)
{
    struct stat status;
    struct writing writing = {
        .fd = fd,
        .offset = sizeof(writing.head),
        .head = { .magic = GROUP_SNAPSHOT_MAGIC,
                  .now_ns = uv_hrtime(),
                  .processors = (uint64_t)get_nprocs_conf(),
                  .forgotten = monitoring->ended.forgotten },
    };

    if (fstat(fd, &status) < 0)
        return -errno;
    if (!S_ISREG(status.st_mode))
        return -EINVAL; /* it could keep profd waiting */
    int error = write_all(monitoring, &writing);
    if (error == 0)
        error = file_range_write(fd, &writing.head, sizeof(writing.head), 0);
    return error;
}

/* --- Those that have ended --- */

void monitoring_note_ended(struct monitoring *monitoring, const struct child *child)
{
    const struct group_owner owner = owner_of(child);
    struct group_part *part = NULL;
    int error = child->arena_fd >= 0 ? group_part_read(child->arena_fd, &owner, &part) : 0;

    if (error < 0)
        log_warn_of_many(child->pid, "lost the performance groups of %d (%s): %s", child->pid,
                         child->executable, uv_strerror(error));
    if (part != NULL && child->verdict == VERDICT_VANISHED && child->watch != NULL)
        part->pidfd = fcntl(child_watch_pidfd(child->watch), F_DUPFD_CLOEXEC, 0);
    if (part != NULL)
        group_book_add(&monitoring->ended, part, GROUP_BOOK_MOST_BYTES);
}

void monitoring_close(struct monitoring *monitoring)
{
    group_book_clear(&monitoring->ended);
}
