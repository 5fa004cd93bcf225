/* Interposed: looks at how many threads the process has, as programs take that insist on having
 * only one: by the links of /proc/self/task. The agent's threads step aside for the look. */
#include <errno.h>
#include <stdbool.h>
#include <string.h>
#include <sys/stat.h>

#include "child-agent/guest/interpose.h"
#include "child-agent/guest/real_calls.h"
#include "child-agent/one_thread.h"
#include "child-agent/sampler/sampling_signal.h"

/* A folder has one in its parent and one in itself, and one for each folder in it. */
enum { LINKS_OF_ONE_THREAD = 3 };

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

static bool is_path(const char *path, const char *expected)
{
    size_t length = strlen(expected);

    return strncmp(path, expected, length) == 0 &&
           strspn(path + length, "/") == strlen(path + length);
}

/* Whether PATH may be that of the threads of this process, from the root or from /proc. */
static bool may_be_own_threads(const char *path)
{
    return is_path(path, "/proc/self/task") || is_path(path, "self/task");
}

static int look_until_alone(void *argument)
{
    const struct look *look = argument;
    int result;

    for (int i = 0; i < ONE_THREAD_LOOKS; i++) {
        result = real_fstatat(look->folder_fd, look->path, look->out, look->flags);
        if (result < 0 || !shows_several_threads(look->out))
            break;
        one_thread_rest_between_looks();
    }
    return result;
}

/* Whether the program has one thread, and this process, which is no child of vfork, several. */
static bool may_be_our_fault(const struct look *look)
{
    return shows_several_threads(look->out) && may_be_own_threads(look->path) &&
           one_thread_is_known() && sampling_signal_is_own_process();
}

PROFD_INTERPOSED int fstatat(int folder_fd, const char *path, struct stat *out, int flags)
{
    struct look look = { folder_fd, path, out, flags };
    find_real();
    int result = real_fstatat(folder_fd, path, out, flags);

    return result == 0 && may_be_our_fault(&look) ? one_thread_around(look_until_alone, &look)
                                                  : result;
}

PROFD_INTERPOSED int fstatat64(int folder_fd, const char *path, struct stat64 *out, int flags)
    __attribute__((alias("fstatat")));

/* Of programs that were linked with a C library of before 2.33. */
enum { STAT_VERSION = 1 };
int __fxstatat(int version, int folder_fd, const char *path, struct stat *out, int flags);
int __fxstatat64(int version, int folder_fd, const char *path, struct stat64 *out, int flags);

PROFD_INTERPOSED int __fxstatat(int version, int folder_fd, const char *path, struct stat *out,
                                int flags)
{
    if (version == STAT_VERSION)
        return fstatat(folder_fd, path, out, flags);
    errno = EINVAL;
    return -1;
}

PROFD_INTERPOSED int __fxstatat64(int version, int folder_fd, const char *path, struct stat64 *out,
                                  int flags) __attribute__((alias("__fxstatat")));
