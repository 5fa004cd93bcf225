/* own_limits addresses|data: sets a limit of its own, reads it back in each way, allocates what the
 * limit allows and no more, and runs a shell that tells the limit. 0 when all is as it should be.
 */
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/system/programs/burn.h"

enum { LIMIT_KB = 100 * 1024, ALLOWED_MB = 64, MB = 1024 * 1024, TEXT_BYTES = 128 };

static int is_same(const struct rlimit *one, const struct rlimit *other)
{
    return one->rlim_cur == other->rlim_cur && one->rlim_max == other->rlim_max;
}

static int is_told(int resource, const struct rlimit *limit)
{
    struct rlimit got, by_process;
    return getrlimit((__rlimit_resource_t)resource, &got) == 0 && is_same(&got, limit) &&
           prlimit(getpid(), (enum __rlimit_resource)resource, NULL, &by_process) == 0 &&
           is_same(&by_process, limit);
}

static int can_map(size_t bytes)
{
    void *pages = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (pages == MAP_FAILED)
        return 0;
    memset(pages, 1, 1);
    return munmap(pages, bytes) == 0;
}

/* A limit that is lowered once more, as far as the hard one goes, which cannot be raised again. */
static int set_limits(int resource)
{
    const struct rlimit first = { (rlim_t)LIMIT_KB * 2 * 1024, RLIM_INFINITY };
    const struct rlimit last = { (rlim_t)LIMIT_KB * 1024, (rlim_t)LIMIT_KB * 1024 };
    struct rlimit old;
    return setrlimit((__rlimit_resource_t)resource, &first) == 0 && is_told(resource, &first) &&
           prlimit(0, (enum __rlimit_resource)resource, &last, &old) == 0 &&
           is_same(&old, &first) && is_told(resource, &last);
}

static int is_inherited(const char *letter)
{
    char command[TEXT_BYTES];
    int status = 0;
    snprintf(command, sizeof(command), "[ $(ulimit -%s) = %d ]", letter, (int)LIMIT_KB);
    pid_t pid = fork();
    if (pid == 0) {
        execl("/missing", "missing", (char *)NULL); /* a failure changes nothing */
        execl("/bin/sh", "sh", "-c", command, (char *)NULL);
        _exit(2);
    }
    return pid > 0 && waitpid(pid, &status, 0) == pid && status == 0;
}

int main(int argc, char **argv)
{
    int is_data = argc > 1 && strcmp(argv[1], "data") == 0;
    int resource = is_data ? RLIMIT_DATA : RLIMIT_AS;
    burn_outer(0.1); /* by then the agent has mapped what it takes */
    int is_set = set_limits(resource);
    int is_allowed = can_map((size_t)ALLOWED_MB * MB);
    int is_forbidden = !can_map((size_t)LIMIT_KB * 1024);
    int goes_on = is_inherited(is_data ? "d" : "v");
    printf("set %d allowed %d forbidden %d inherited %d\n", is_set, is_allowed, is_forbidden,
           goes_on);
    return is_set && is_allowed && is_forbidden && goes_on ? 0 : 1;
}
