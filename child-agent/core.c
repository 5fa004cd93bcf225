#include "child-agent/core.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/mman.h>
#include <unistd.h>

#include "child-agent/agent_lease.h"
#include "child-agent/counters/counters.h"
#include "child-agent/dormancy.h"
#include "child-agent/groups/group_registry.h"
#include "child-agent/guest/address_space.h"
#include "child-agent/guest/descriptor.h"
#include "child-agent/process_title.h"
#include "child-agent/threads/thread_registry.h"

enum {
    /* Room, not use: chunks that were never written cost no memory. */
    CORE_MOST_CHUNK_BYTES = 1024 * 1024 * 1024,
    CORE_USUAL_CHUNK_BYTES = 64 * 1024 * 1024,
    CORE_LEAST_CHUNK_BYTES = 4 * 1024 * 1024, /* unless the process may have few addresses */
    CORE_MAX_PATH = 4096,
    CORE_MAX_COMMAND_LINE = 8192,
    CORE_MAX_NAME = 128,
};

struct core core = { .arena = { .fd = -1 } };
struct core_own core_own;
uint32_t core_epoch = 1;
__thread bool core_is_forking;

static char executable[CORE_MAX_PATH];
static char command_line[CORE_MAX_COMMAND_LINE];
static size_t command_line_bytes;
static uint64_t room_bytes = CORE_USUAL_CHUNK_BYTES;
static char process_name[CORE_MAX_NAME];

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
static bool is_link_of_the_kernel(const char *path)
{
    return strncmp(path, "/proc/", strlen("/proc/")) == 0 ||
           strncmp(path, "/dev/fd/", strlen("/dev/fd/")) == 0;
}

static void remember_executable(void)
{
    const char *path = (const char *)getauxval(AT_EXECFN); /* NOLINT: an address from the kernel */
    char directory[CORE_MAX_PATH / 2] = "";
    if (path == NULL)
        return;
    if (is_link_of_the_kernel(path) &&
        readlink("/proc/self/exe", executable, sizeof(executable) - 1) > 0)
        return;
    if (path[0] != '/' && getcwd(directory, sizeof(directory)) == NULL)
        directory[0] = '\0';
    int length = snprintf(executable, sizeof(executable), "%s%s%.*s", directory,
                          directory[0] != '\0' ? "/" : "", CORE_MAX_PATH / 2 - 2, path);
    if (length < 0)
        executable[0] = '\0';
}

static void remember_command_line(int argument_count, char **arguments)
{
    for (int i = 0; i < argument_count && arguments[i] != NULL; i++) {
        size_t bytes = strlen(arguments[i]) + 1;
        size_t room = sizeof(command_line) - command_line_bytes;
        if (bytes > room)
            bytes = room;
        memcpy(command_line + command_line_bytes, arguments[i], bytes);
        command_line_bytes += bytes;
    }
}

void core_initialize(int argument_count, char **arguments)
{
    process_title_initialize(argument_count, arguments);
    core.origin = CORE_BY_EXEC;
    core.start_ns = clock_monotonic_ns();
    remember_executable();
    remember_command_line(argument_count, arguments);
    /* Kernels before 4.14 cannot: children made past the C library are left as they were. */
    (void)madvise(&core_own, sizeof(core_own), MADV_WIPEONFORK);
    core_own.is_followed = true;
    core.is_enabled = true;
}

void core_set_process_name(const char *name)
{
    dormancy_end();
    snprintf(process_name, sizeof(process_name), "%s", name);
    process_title_choose(name);
    if (core_own.has_arena && !core_is_forking)
        (void)dictionary_put_process_name(&core.dictionary, clock_monotonic_ns(), process_name);
}

static int describe_process(void)
{
    int err = dictionary_put_process(&core.dictionary, getpid(), getppid(), core.start_ns,
                                     executable, command_line, command_line_bytes);
    if (err == 0)
        err = dictionary_put_user(&core.dictionary, geteuid());
    return err;
}

void core_set_room(uint64_t chunk_bytes)
{
    room_bytes = chunk_bytes;
}

/* Room for all that the limit could ever give to this process, unless it may not have so many
 * addresses. */
static int create_arena(void)
{
    struct lease_ledger *ledger;
    int err = address_space_is_enough() ? agent_lease_get(&ledger) : -ENOMEM;
    if (err < 0)
        return err;
    uint64_t capacity = ledger != NULL ? lease_ledger_limit_bytes(ledger) : room_bytes;
    if (capacity > CORE_MOST_CHUNK_BYTES)
        capacity = CORE_MOST_CHUNK_BYTES;
    struct arena_room room = {
        .chunk_bytes = address_space_within(ADDRESSES_CHUNKS, capacity),
        .dictionary_bytes =
            (uint32_t)address_space_within(ADDRESSES_DICTIONARY, ARENA_DICTIONARY_BYTES),
        .group_bytes = (uint32_t)address_space_within(ADDRESSES_GROUPS, GROUP_TABLE_BYTES),
    };
    do {
        err = arena_create_leased(&room, ledger, agent_lease_owner(), &core.arena);
        room.chunk_bytes /= 2;
    } while (err == -ENOMEM && room.chunk_bytes >= CORE_LEAST_CHUNK_BYTES);
    return err;
}

/* The arena is there for others once it has its records. Who comes meanwhile waits, and adds its
 * own. */
static int write_records(void)
{
    sigset_t mask;
    struct registry_access access = thread_registry_hold();
    counters_hold(&mask);
    int err = describe_process();
    if (err == 0)
        err = counters_describe();
    if (err == 0)
        err = thread_registry_describe(access);
    core_own.has_arena = err == 0;
    counters_let_go(&mask);
    thread_registry_let_go(access);
    return err;
}

/* An arena that nobody else has seen. */
static void give_back_arena(void)
{
    descriptor_close(DESCRIPTOR_ARENA);
    arena_discard(&core.arena);
}

static void keep_descriptor(void)
{
    int high = descriptor_move_high(core.arena.fd);
    if (high >= 0)
        core.arena.fd = high;
    descriptor_remember(DESCRIPTOR_ARENA, core.arena.fd);
}

int core_renew_arena(void)
{
    if (descriptor_is_ours(DESCRIPTOR_ARENA))
        return 0;
    bool held = group_registry_hold();
    int err = arena_replace_file(&core.arena);
    group_registry_let_go(held);
    if (err == 0)
        keep_descriptor();
    return err;
}

int core_make_arena(void)
{
    if (core_own.has_arena)
        return 0;
    int err = create_arena();
    if (err < 0)
        return err;
    keep_descriptor();
    core.arena.header->process_start_ns = core.start_ns;
    dictionary_init(&core.dictionary, &core.arena);
    err = write_records();
    if (err < 0) {
        give_back_arena();
        return err;
    }
    atomic_store(&core.arena.header->live_threads, thread_registry_live_count());
    process_title_follow();
    if (process_name[0] != '\0') /* counted when full */
        (void)dictionary_put_process_name(&core.dictionary, core.start_ns, process_name);
    return 0;
}

int core_lease_arena(void)
{
    struct lease_ledger *ledger;
    int err = agent_lease_get(&ledger);
    if (err < 0 || ledger == NULL || ledger == core.arena.lease.ledger)
        return err;
    return dictionary_move_lease(&core.dictionary, ledger);
}

void core_reset_after_fork(void)
{
    descriptor_close(DESCRIPTOR_ARENA);
    core.arena.fd = -1;
    /* The mapping was the parent's and did not come along (MADV_DONTFORK). */
    memset(&core.arena, 0, sizeof(core.arena));
    core.arena.fd = -1;
    core_own.is_followed = true;
    core_own.has_arena = false;
    process_title_after_fork_child();
    core.origin = CORE_BY_FORK;
    core.start_ns = clock_monotonic_ns();
    core_epoch = core_epoch % 4095 + 1;
}
