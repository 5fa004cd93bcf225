#include "child-agent/core.h"

#include <string.h>
#include <sys/auxv.h>
#include <sys/mman.h>
#include <unistd.h>

#include "common/apart.h"

enum {
    CORE_MAX_PATH = 4096,
    CORE_MAX_COMMAND_LINE = 8192,
};

struct core core = { .arena = { .fd = -1 } };
LARGE_APART struct core_local core_local;
uint32_t core_epoch = 1;
__thread bool core_is_forking;

/* The path, and right behind it the command line: most are short, and share a page. */
static LARGE_EARLY char executable[CORE_MAX_PATH + CORE_MAX_COMMAND_LINE];
static char *command_line = executable;
static size_t command_line_bytes;

uint64_t core_now_or_unknown_ns(void)
{
    return atomic_load(&core.has_filter) ? clock_monotonic_without_call_ns() : clock_monotonic_ns();
}

const char *core_executable(void)
{
    return executable;
}

const char *core_command_line(size_t *bytes)
{
    *bytes = command_line_bytes;
    return command_line;
}

/* Whether PATH means another file to each process, as /proc/self/exe does, and what fexecve()
 * gives. */
static bool is_per_process_path(const char *path)
{
    return strncmp(path, "/proc/", strlen("/proc/")) == 0 ||
           strncmp(path, "/dev/fd/", strlen("/dev/fd/")) == 0;
}

static void remember_executable(void)
{
    const char *path = (const char *)getauxval(AT_EXECFN); /* NOLINT: an address from the kernel */
    size_t length = 0;
    if (path == NULL)
        return;
    if (is_per_process_path(path) && readlink("/proc/self/exe", executable, CORE_MAX_PATH - 1) > 0)
        return;
    if (path[0] != '/' && getcwd(executable, CORE_MAX_PATH / 2) != NULL) {
        length = strlen(executable);
        executable[length++] = '/';
    }
    size_t bytes = strnlen(path, CORE_MAX_PATH / 2 - 2);
    memcpy(executable + length, path, bytes);
    executable[length + bytes] = '\0';
}

static void remember_command_line(int argument_count, char **arguments)
{
    command_line = executable + strlen(executable) + 1;
    for (int i = 0; i < argument_count && arguments[i] != NULL; i++) {
        size_t bytes = strlen(arguments[i]) + 1;
        size_t room = CORE_MAX_COMMAND_LINE - command_line_bytes;
        if (bytes > room)
            bytes = room;
        memcpy(command_line + command_line_bytes, arguments[i], bytes);
        command_line_bytes += bytes;
    }
}

void core_initialize(int argument_count, char **arguments)
{
    core.origin = CORE_BY_EXEC;
    core.pid = getpid();
    core.start_ns = clock_monotonic_ns();
    remember_executable();
    remember_command_line(argument_count, arguments);
    /* Kernels before 4.14 cannot: children made past the C library are left as they were. */
    (void)madvise(&core_local, sizeof(core_local), MADV_WIPEONFORK);
    core_local.is_followed = core_local.has_locks = true;
    core.is_enabled = true;
}

void core_reset_after_fork(void)
{
    /* The mapping was the parent's and did not come along (MADV_DONTFORK). */
    memset(&core.arena, 0, sizeof(core.arena));
    core.arena.fd = -1;
    core_local.is_followed = core_local.has_locks = true;
    core_local.has_arena = false;
    core.origin = CORE_BY_FORK;
    if (!atomic_load(&core.has_filter)) /* behind which nobody asks for it */
        core.pid = getpid();
    core.start_ns = clock_monotonic_ns();
    core_epoch = core_epoch % 4095 + 1;
}
