/* A folder for sockets, and what is said when one cannot be listened with. */
#ifndef TESTS_UNIT_SOCKET_FILE_SCENE_H
#define TESTS_UNIT_SOCKET_FILE_SCENE_H

#include <check.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "ipc/socket_file.h"

static char folder[64];
static char path[96], lock_path[104];
static char text[256];

static inline void make_folder(void)
{
    strcpy(folder, "/tmp/profd-test-XXXXXX");
    ck_assert_ptr_nonnull(mkdtemp(folder));
    snprintf(path, sizeof(path), "%s/profd.sock", folder);
    snprintf(lock_path, sizeof(lock_path), "%s.lock", path);
}

static inline void remove_folder(void)
{
    unlink(path);
    unlink(lock_path);
    ck_assert_int_eq(rmdir(folder), 0);
}

static inline int try_to_listen(struct socket_file *file)
{
    text[0] = '\0';
    int error = socket_file_listen(file, path, text, sizeof(text));
    ck_assert_msg((error == 0) == (text[0] == '\0'), "%d: '%s'", error, text);
    return error;
}

static inline bool file_exists(const char *name)
{
    return access(name, F_OK) == 0;
}

#endif
