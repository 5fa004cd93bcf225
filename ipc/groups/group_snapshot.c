#include "ipc/groups/group_snapshot.h"

#include <string.h>

bool group_snapshot_open(struct group_snapshot_reader *reader, struct group_snapshot_head *head)
{
    if (reader->bytes < sizeof(*head))
        return false;
    memcpy(head, reader->memory, sizeof(*head));
    reader->at = sizeof(*head);
    return head->magic == GROUP_SNAPSHOT_MAGIC;
}

static bool is_process_sound(const struct group_snapshot_process *process, size_t left)
{
    size_t name_room = group_snapshot_name_room(process->name_bytes);
    return process->bytes <= left && process->bytes % sizeof(uint64_t) == 0 &&
           process->bytes >= sizeof(*process) + name_room &&
           process->table_bytes == process->bytes - sizeof(*process) - name_room;
}

bool group_snapshot_next(struct group_snapshot_reader *reader, struct group_snapshot_view *out)
{
    const uint8_t *place = reader->memory + reader->at;
    const struct group_snapshot_process *process = (const void *)place;
    size_t left = reader->bytes - reader->at;
    if (left < sizeof(*process) || !is_process_sound(process, left))
        return false;
    out->process = process;
    out->name = (const char *)place + sizeof(*process);
    out->table = place + sizeof(*process) + group_snapshot_name_room(process->name_bytes);
    reader->at += process->bytes;
    return true;
}
