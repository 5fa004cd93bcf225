#include "ipc/groups/snapshot_file.h"

#include <errno.h>
#include <sys/mman.h>
#include <sys/stat.h>

int snapshot_file_map(int fd, struct snapshot_file *out)
{
    struct stat status;

    *out = (struct snapshot_file){ 0 };
    if (fstat(fd, &status) < 0)
        return -errno;
    if (status.st_size == 0)
        return -EPROTO;
    out->bytes = (size_t)status.st_size;
    void *memory = mmap(NULL, out->bytes, PROT_READ, MAP_PRIVATE, fd, 0);
    if (memory == MAP_FAILED)
        return -errno;
    out->memory = memory;
    return group_rows_read(memory, out->bytes, &out->rows);
}

void snapshot_file_close(struct snapshot_file *snapshot)
{
    group_rows_free(&snapshot->rows);
    if (snapshot->memory != NULL)
        munmap(snapshot->memory, snapshot->bytes);
    *snapshot = (struct snapshot_file){ 0 };
}
