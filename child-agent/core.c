#include "child-agent/core.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "child-agent/descriptor.h"
#include "child-agent/thread_registry.h"

enum {
    /* Room, not use: chunks that were never written cost no memory. */
    CORE_ARENA_CHUNK_BYTES = 64 * 1024 * 1024,
    CORE_MAX_PATH = 4096,
    CORE_MAX_COMMAND_LINE = 8192,
    CORE_MAX_NAME = 128,
};

struct core core = { .arena = { .fd = -1 } };
uint32_t core_epoch = 1;

void core_initialize(void)
{
    clock_initialize();
    core.origin = CORE_BY_EXEC;
    core.start_ns = clock_monotonic_ns();
    core.is_enabled = true;
}

static size_t read_small_file(const char *path, char *out, size_t capacity)
{
    size_t used = 0;
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        return 0;
    while (used < capacity) {
        ssize_t got = read(fd, out + used, capacity - used);
        if (got < 0 && errno == EINTR)
            continue;
        if (got <= 0)
            break;
        used += (size_t)got;
    }
    close(fd);
    return used;
}

void core_executable(char *out, size_t capacity)
{
    ssize_t length = readlink("/proc/self/exe", out, capacity - 1);
    out[length > 0 ? length : 0] = '\0';
}

size_t core_command_line(char *out, size_t capacity)
{
    return read_small_file("/proc/self/cmdline", out, capacity);
}

static char process_name[CORE_MAX_NAME];

void core_set_process_name(const char *name)
{
    snprintf(process_name, sizeof(process_name), "%s", name);
    if (core.has_arena)
        (void)dictionary_put_process_name(&core.dictionary, clock_monotonic_ns(), process_name);
}

static int describe_process(void)
{
    char executable[CORE_MAX_PATH];
    char command_line[CORE_MAX_COMMAND_LINE];
    core_executable(executable, sizeof(executable));
    size_t length = core_command_line(command_line, sizeof(command_line));
    int err = dictionary_put_process(&core.dictionary, getpid(), getppid(), core.start_ns,
                                     executable, command_line, length);
    if (err == 0 && process_name[0] != '\0')
        err = dictionary_put_process_name(&core.dictionary, core.start_ns, process_name);
    return err;
}

int core_make_arena(void)
{
    if (core.has_arena)
        return 0;
    int err = arena_create(CORE_ARENA_CHUNK_BYTES, &core.arena);
    if (err < 0)
        return err;
    int high = descriptor_move_high(core.arena.fd);
    if (high >= 0)
        core.arena.fd = high;
    descriptor_remember(DESCRIPTOR_ARENA, core.arena.fd);
    core.arena.header->process_start_ns = core.start_ns;
    dictionary_init(&core.dictionary, &core.arena);
    core.has_arena = true;
    err = describe_process();
    if (err == 0)
        err = thread_registry_describe();
    return err;
}

void core_reset_after_fork(void)
{
    descriptor_close(DESCRIPTOR_ARENA);
    core.arena.fd = -1;
    /* The mapping was the parent's and did not come along (MADV_DONTFORK). */
    memset(&core.arena, 0, sizeof(core.arena));
    core.arena.fd = -1;
    core.has_arena = false;
    core.origin = CORE_BY_FORK;
    core.start_ns = clock_monotonic_ns();
    core_epoch = core_epoch % 4095 + 1;
}
