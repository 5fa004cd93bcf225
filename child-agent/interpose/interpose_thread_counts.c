/* Interposed: looks at how many threads the process has, as programs take that insist on having only
 * one: by the links of /proc/self/task. The agent's threads step aside for the look. */
#include <errno.h>
#include <stdbool.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>

#include "child-agent/guest/interpose.h"
#include "child-agent/guest/real_calls.h"
#include "child-agent/one_thread.h"

enum {
    /* A folder has one in its parent and one in itself, and one for each folder in it. */
    LINKS_OF_ONE_THREAD = 3,
    /* A joined thread leaves the kernel's list of the process a little later. */
    LOOKS = 200,
    PAUSE_NS = 500 * 1000,
};

typedef int fstatat_function(int, const char *, struct stat *, int);

static fstatat_function *real_fstatat;

__attribute__((constructor)) static void find_real(void)
{
    if (real_fstatat == NULL)
        real_fstatat = (fstatat_function *)real_symbol("fstatat");
}

struct look {
    int folder_fd;
    const char *path;
    struct stat *out;
    int flags;
};

static bool shows_several_threads(const struct stat *found)
{
    return S_ISDIR(found->st_mode) && found->st_nlink > LINKS_OF_ONE_THREAD;
}

/* Whether PATH is that of the threads of this process, from the root or from /proc. */
static bool is_of_own_threads(const char *path)
{
    static const char threads[] = "self/task";
    size_t length = strlen(path), bytes = sizeof(threads) - 1;

    while (length > 0 && path[length - 1] == '/')
        length--;
    return length >= bytes && memcmp(path + length - bytes, threads, bytes) == 0;
}

static int look_until_alone(void *argument)
{
    static const struct timespec pause = { .tv_nsec = PAUSE_NS };
    const struct look *look = argument;
    int result;

    for (int i = 0; i < LOOKS; i++) {
        result = real_fstatat(look->folder_fd, look->path, look->out, look->flags);
        if (result < 0 || !shows_several_threads(look->out))
            break;
        (void)clock_nanosleep(CLOCK_MONOTONIC, 0, &pause, NULL);
    }
    return result;
}

PROFD_INTERPOSED int fstatat(int folder_fd, const char *path, struct stat *out, int flags)
{
    find_real();
    int result = real_fstatat(folder_fd, path, out, flags);

    if (result < 0 || !shows_several_threads(out) || !is_of_own_threads(path) ||
        !one_thread_is_known())
        return result;
    struct look look = { folder_fd, path, out, flags };
    return one_thread_around(look_until_alone, &look);
}

PROFD_INTERPOSED int fstatat64(int folder_fd, const char *path, struct stat64 *out, int flags)
    __attribute__((alias("fstatat")));
