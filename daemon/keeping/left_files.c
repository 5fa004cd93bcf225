#include "daemon/keeping/left_files.h"

#include <stdbool.h>
#include <stdio.h>
#include <sys/un.h>
#include <unistd.h>

#include "daemon/keeping/keeper.h"
#include "daemon/memory/kept_path.h"
#include "daemon/session_file.h"
#include "ipc/ledger_file.h"
#include "ipc/socket_file.h"

enum { PATH_BYTES = sizeof(((struct sockaddr_un *)0)->sun_path) + sizeof(KEEPER_SUFFIX) };

static bool look_at_socket(const char *socket_path, char path[PATH_BYTES], struct stat *status)
{
    int length = snprintf(path, PATH_BYTES, "%s" KEEPER_SUFFIX, socket_path);
    return length > 0 && length < PATH_BYTES && lstat(path, status) == 0;
}

void left_files_note(struct left_files *files, const char *socket_path)
{
    char path[PATH_BYTES];
    struct stat status;

    *files = (struct left_files){ .socket_path = socket_path };
    if (!look_at_socket(socket_path, path, &status))
        return;
    files->device = status.st_dev;
    files->inode = status.st_ino;
}

static void remove_socket(const struct left_files *files)
{
    char path[PATH_BYTES];
    struct stat status;

    if (look_at_socket(files->socket_path, path, &status) && status.st_dev == files->device &&
        status.st_ino == files->inode)
        (void)unlink(path); /* it may be gone with its folder, as may the others */
}

void left_files_remove(const struct left_files *files)
{
    int lock_fd = files->socket_path != NULL ? socket_file_lock(files->socket_path) : -1;

    if (lock_fd < 0)
        return;
    remove_socket(files);
    if (ledger_file_remove_over(files->socket_path) == 0)
        kept_path_remove(files->socket_path, SESSION_FILE_NAME);
    socket_file_unlock(files->socket_path, lock_fd);
}
