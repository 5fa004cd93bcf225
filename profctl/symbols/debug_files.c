#include "profctl/symbols/debug_files.h"

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define LIBDEBUGINFOD "libdebuginfod.so.1"
#define MOST_BYTES    "2147483648" /* of one file: Chromium's has more than 1 GB */

enum { SHORTEST_BUILD_ID = 4, LONGEST_BUILD_ID = 128 };

/* Of libdebuginfod; loaded only where servers may be asked. BUILD_ID_BYTES 0: it is hexadecimal. */
typedef void *begin_function(void);
typedef int find_function(void *client, const unsigned char *build_id, int build_id_bytes,
                          char **path);

static struct {
    bool are_allowed, show_progress;
    begin_function *begin;
    find_function *find;
    void *client; /* NULL: they are not asked; else for as long as we run */
} servers;

bool debug_file_path(const char *build_id, char path[DEBUG_FILE_PATH_BYTES])
{
    size_t length = strlen(build_id);

    if (length < SHORTEST_BUILD_ID || length > LONGEST_BUILD_ID ||
        strspn(build_id, "0123456789abcdef") != length)
        return false;
    snprintf(path, DEBUG_FILE_PATH_BYTES, "/usr/lib/debug/.build-id/%.2s/%s.debug", build_id,
             build_id + 2);
    return true;
}

int debug_files_allow_servers(bool shows_progress)
{
    const char *urls = getenv("DEBUGINFOD_URLS");
    void *library;

    if (urls == NULL || urls[strspn(urls, " ")] == '\0')
        return -EDESTADDRREQ;
    library = dlopen(LIBDEBUGINFOD, RTLD_NOW);
    if (library == NULL)
        return -ELIBACC;
    servers.begin = (begin_function *)dlsym(library, "debuginfod_begin");
    servers.find = (find_function *)dlsym(library, "debuginfod_find_debuginfo");
    servers.are_allowed = servers.begin != NULL && servers.find != NULL;
    servers.show_progress = shows_progress;
    return servers.are_allowed ? 0 : -ELIBACC;
}

/* The user's own settings go first. */
static int set_limits(void)
{
    if (setenv("DEBUGINFOD_TIMEOUT", "10", 0) < 0 || setenv("DEBUGINFOD_MAXTIME", "60", 0) < 0 ||
        setenv("DEBUGINFOD_MAXSIZE", MOST_BYTES, 0) < 0 ||
        (servers.show_progress && setenv("DEBUGINFOD_PROGRESS", "1", 0) < 0))
        return -ENOMEM;
    return 0;
}

int debug_files_begin(void)
{
    if (!servers.are_allowed)
        return unsetenv("DEBUGINFOD_URLS") == 0 ? 0 : -ENOMEM;
    int err = set_limits();
    if (err == 0 && servers.client == NULL)
        servers.client = servers.begin();
    return err < 0 || servers.client != NULL ? err : -ENOMEM;
}

int debug_file_open(const char *build_id)
{
    char path[DEBUG_FILE_PATH_BYTES], *fetched = NULL;
    int fd;

    if (!debug_file_path(build_id, path))
        return -ENOENT;
    fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd >= 0 || servers.client == NULL)
        return fd >= 0 ? fd : -ENOENT;
    fd = servers.find(servers.client, (const unsigned char *)build_id, 0, &fetched);
    free(fetched);
    return fd >= 0 ? fd : -ENOENT;
}
