#include "profctl/symbols/debug_files.h"

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "common/time_units.h"

#define LIBDEBUGINFOD "libdebuginfod.so.1"
#define MAX_BYTES     "2147483648" /* of one file: Chromium's has more than 1 GB */

enum {
    SHORTEST_BUILD_ID = 4,
    LONGEST_BUILD_ID = 128,
    MAX_SECONDS = 120, /* of waiting for servers, for all files together */
};

/* Of libdebuginfod; loaded only where servers may be asked. BUILD_ID_BYTES 0: it is hexadecimal. */
typedef void *begin_function(void);
typedef int find_function(void *client, const unsigned char *build_id, int build_id_bytes,
                          char **path);
/* Called all the time while a file is waited for: DONE of WHOLE bytes are there (0: not known).
 * Other than 0: nobody waits for it any more. */
typedef int watch_function(void *client, long done, long whole);
typedef void set_watch_function(void *client, watch_function *watch);

static struct {
    bool are_allowed, show_progress;
    begin_function *begin;
    find_function *find;
    set_watch_function *set_watch;
    uint64_t max_ns, waited_ns; /* for all files together */
    uint64_t asked_ns;          /* when the file at hand was asked for */
    const char *build_id;       /* of that one */
    bool shows_line;            /* one of progress is on the terminal */
    void *client;               /* NULL: they are not asked; else for as long as we run */
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
    servers.set_watch = (set_watch_function *)dlsym(library, "debuginfod_set_progressfn");
    servers.are_allowed =
        servers.begin != NULL && servers.find != NULL && servers.set_watch != NULL;
    servers.show_progress = shows_progress;
    return servers.are_allowed ? 0 : -ELIBACC;
}

/* --- While a file is waited for --- */

static uint64_t monotonic_ns(void)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * NS_PER_S + (uint64_t)now.tv_nsec;
}

static void show_progress(long done, long whole)
{
    const double bytes_per_mb = 1e6;

    fprintf(stderr, "\r\033[Kprofctl: debug information of %.12s: %.1f", servers.build_id,
            (double)done / bytes_per_mb);
    if (whole > 0)
        fprintf(stderr, " of %.1f", (double)whole / bytes_per_mb);
    fputs(" MB", stderr);
    servers.shows_line = true;
}

static int on_download_progress(void *client, long done, long whole)
{
    (void)client;
    if (servers.show_progress)
        show_progress(done, whole);
    return servers.waited_ns + (monotonic_ns() - servers.asked_ns) >= servers.max_ns;
}

/* Notes how long that took, and takes the line of progress back. */
static void end_waiting(void)
{
    bool had_time = servers.waited_ns < servers.max_ns;

    servers.waited_ns += monotonic_ns() - servers.asked_ns;
    if (servers.shows_line)
        fputs("\r\033[K", stderr);
    servers.shows_line = false;
    if (had_time && servers.waited_ns >= servers.max_ns)
        fprintf(stderr,
                "profctl: --debuginfod: the servers took %" PRIu64
                " s and are not asked again; DEBUGINFOD_MAXTIME sets another limit\n",
                servers.max_ns / NS_PER_S);
}

static int ask_servers(const char *build_id)
{
    char *path = NULL;

    if (servers.waited_ns >= servers.max_ns)
        return -ENOENT;
    servers.build_id = build_id;
    servers.asked_ns = monotonic_ns();
    int fd = servers.find(servers.client, (const unsigned char *)build_id, 0, &path);
    end_waiting();
    free(path);
    return fd >= 0 ? fd : -ENOENT;
}

/* --- Files --- */

/* The user's own settings go first. That of the time is libdebuginfod's for one file, and ours for
 * all of them. */
static int set_limits(void)
{
    char text[16];

    snprintf(text, sizeof(text), "%d", MAX_SECONDS);
    if (setenv("DEBUGINFOD_TIMEOUT", "10", 0) < 0 || setenv("DEBUGINFOD_MAXTIME", text, 0) < 0 ||
        setenv("DEBUGINFOD_MAXSIZE", MAX_BYTES, 0) < 0)
        return -ENOMEM;
    const char *most = getenv("DEBUGINFOD_MAXTIME");
    uint64_t seconds = most != NULL ? strtoull(most, NULL, 10) : 0;
    servers.max_ns = (seconds > 0 && seconds < UINT32_MAX ? seconds : MAX_SECONDS) * NS_PER_S;
    return 0;
}

int debug_files_begin(void)
{
    if (!servers.are_allowed)
        return unsetenv("DEBUGINFOD_URLS") == 0 ? 0 : -ENOMEM;
    int error = set_limits();
    if (error == 0 && servers.client == NULL)
        servers.client = servers.begin();
    if (servers.client != NULL)
        servers.set_watch(servers.client, on_download_progress);
    return error < 0 || servers.client != NULL ? error : -ENOMEM;
}

int debug_file_open(const char *build_id)
{
    char path[DEBUG_FILE_PATH_BYTES];
    int fd;

    if (!debug_file_path(build_id, path))
        return -ENOENT;
    fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd >= 0 || servers.client == NULL)
        return fd >= 0 ? fd : -ENOENT;
    return ask_servers(build_id);
}
