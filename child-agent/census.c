#include "child-agent/census.h"

#include <errno.h>
#include <limits.h>
#include <stdatomic.h>
#include <stddef.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "buffer/census_ring.h"
#include "buffer/clock.h"
#include "buffer/process_clock.h"
#include "child-agent/agent_lease.h"
#include "child-agent/census_message.h"
#include "child-agent/census_unasked.h"
#include "child-agent/core.h"
#include "child-agent/guest/memory_probe_x86_64.h"
#include "common/pidfd.h"
#include "common/program_facts.h"
#include "common/recording_obstacle.h"
#include "common/system_id.h"
#include "common/time_units.h"

static struct census_ring *find_any_ring(void)
{
    struct lease_ledger *ledger;

    return core.is_enabled && !atomic_load(&core.has_filter) && agent_lease_get(&ledger) == 0 &&
                   ledger != NULL
               ? ledger->ring
               : NULL;
}

/* A child of vfork has our memory, and may be in another pid namespace than we are. */
static bool is_foreign(void)
{
    if (census_unasked_has_ended() && getpid() != core.pid)
        return !agent_lease_is_of_namespace(pid_namespace());
    return lease_owner_is_foreign(agent_lease_owner());
}

/* NULL: nobody is to be told, or not in this way. */
static struct census_ring *find_ring(void)
{
    struct census_ring *ring = find_any_ring();

    return ring != NULL && !is_foreign() ? ring : NULL;
}

static bool is_descriptor(const char *path)
{
    static const char folder[] = "/proc/self/fd/";
    return strncmp(path, folder, sizeof(folder) - 1) == 0;
}

/* Of a path behind a filter, where we cannot ask for another one. */
static bool lacks_name(const char *path)
{
    return path[0] == '\0' || is_descriptor(path);
}

static bool is_behind_filter(void)
{
    return atomic_load(&core.has_filter);
}

void census_prepare_for_filter(void)
{
    census_unasked_begin(find_ring());
}

bool census_has_listener(void)
{
    return find_any_ring() != NULL;
}

/* There the agent takes itself out of the environment of every program, and looks at none. */
static void judge_unseen(struct census_program *program)
{
    program->obstacle = OBSTACLE_OUT_OF_REACH;
    program->judged_ns = clock_monotonic_without_call_ns();
    program->is_told = program->path != NULL && census_unasked_ring() != NULL;
}

void census_judge(struct census_program *program, const char *path,
                  const struct program_facts *seen, char *const *environment, bool lacks_agent)
{
    struct rlimit limit;
    int call_errno = errno;

    *program = (struct census_program){ .path = path };
    if (is_behind_filter())
        judge_unseen(program);
    else if (seen != NULL && find_any_ring() != NULL) {
        struct program_facts facts = *seen;
        facts.is_out_of_reach = lacks_agent;
        facts.descriptor_limit =
            getrlimit(RLIMIT_NOFILE, &limit) == 0 ? limit.rlim_cur : UINT64_MAX;
        for (; environment != NULL && *environment != NULL; environment++)
            program_look_variable(*environment, &facts);
        program->obstacle = program_obstacle(&facts);
        program->judged_ns = clock_monotonic_ns();
        program->is_told = true;
    }
    errno = call_errno;
}

void census_judge_unlooked(struct census_program *program, const char *path)
{
    *program = (struct census_program){
        .is_told = path != NULL && memory_probe_reads_string((uint64_t)(uintptr_t)path, PATH_MAX),
        .obstacle = OBSTACLE_NONE,
        .judged_ns = clock_monotonic_ns(),
        .path = path,
    };
}

/* False: nobody is to be told, or not in this way. */
static bool put_entry(const struct census_entry *entry)
{
    struct census_ring *ring = is_behind_filter() ? census_unasked_ring() : find_ring();

    if (ring != NULL)
        census_ring_put(ring, entry);
    return ring != NULL;
}

/* Of a process that profd knows by another number. A program that can be profiled says hello. */
static void tell_foreign_program(const struct census_entry *entry)
{
    struct census_ring *ring = find_any_ring();

    if (ring != NULL && entry->obstacle != OBSTACLE_NONE && census_message_tell(entry) < 0)
        census_ring_count_lost(ring);
}

/* PATH from the root, if it can be told. */
static void set_path(struct census_entry *entry, const char *path)
{
    char full[2 * CENSUS_PATH_BYTES];
    size_t length;

    ssize_t got = is_descriptor(path) ? readlink(path, full, sizeof(full) - 1) : -1;
    if (got > 0) {
        full[got] = '\0';
        path = full;
    }
    if (path[0] == '/' || getcwd(full, sizeof(full) / 2) == NULL) {
        census_ring_set_path(entry, path);
        return;
    }
    if (path[0] == '.' && path[1] == '/')
        path += 2;
    length = strlen(full);
    full[length++] = '/';
    size_t path_length = strnlen(path, sizeof(full) - 1 - length);
    memcpy(full + length, path, path_length);
    full[length + path_length] = '\0';
    census_ring_set_path(entry, full);
}

static void tell_program(const struct census_program *program, struct profd_process_id process,
                         enum census_kind kind)
{
    int call_errno = errno;

    if (!program->is_told || (is_behind_filter() && lacks_name(program->path)))
        return;
    struct census_entry entry = {
        .kind = kind,
        .time_ns = program->judged_ns,
        .pid = process.number,
        .obstacle = program->obstacle,
        .cpu_ns = PROCESS_CLOCK_UNKNOWN,
    };
    if (is_behind_filter()) {
        entry.parent_pid = census_unasked_parent_of(process.number);
        census_ring_set_path(&entry, program->path); /* to complete it takes calls */
    } else {
        const pid_t caller = getpid();
        const bool is_own = process.number == caller;
        const bool is_of_ours = core.origin == CORE_BY_FORK || core_local.is_awaited;
        entry.parent_pid = is_own ? getppid() : caller;
        if (is_own)
            entry.cpu_ns = process_clock_ns(caller);
        /* A child of vfork, or one that the parent tells of, is waited for by that. */
        entry.is_awaited = !is_own || is_of_ours || caller != core.pid;
        set_path(&entry, program->path);
    }
    if (!put_entry(&entry))
        tell_foreign_program(&entry);
    errno = call_errno;
}

static struct census_entry entry_of_self(enum census_kind kind)
{
    return (struct census_entry){
        .kind = kind,
        .time_ns = core.start_ns,
        .pid = getpid(),
        .parent_pid = getppid(),
        .is_fork = core.origin == CORE_BY_FORK,
    };
}

void census_report_woken(uint32_t generation)
{
    struct census_entry entry = entry_of_self(CENSUS_WOKEN);
    entry.generation = generation;
    (void)put_entry(&entry);
}

void census_report_leaving(void)
{
    int call_errno = errno;
    struct census_ring *ring = is_behind_filter() ? NULL : find_ring();
    if (ring != NULL) {
        struct census_entry entry = entry_of_self(CENSUS_LEAVING);
        entry.time_ns = clock_monotonic_ns();
        entry.cpu_ns = clock_read_ns(CLOCK_PROCESS_CPUTIME_ID);
        (void)census_ring_put_if_roomy(ring, &entry); /* else it is told up to its last record */
    }
    errno = call_errno;
}

void census_report_wish(void)
{
    struct census_entry entry = entry_of_self(CENSUS_WISH);
    entry.time_ns = clock_monotonic_ns(); /* maybe of a session after its start */
    (void)put_entry(&entry);
}

static void set_own_program(struct census_entry *entry)
{
    size_t bytes;
    const char *command_line = core_command_line(&bytes);

    census_ring_set_path(entry, core_executable());
    census_ring_set_command_line(entry, command_line, bytes);
}

bool census_report_present(uint32_t generation)
{
    struct census_ring *ring = find_ring();
    struct census_entry entry = entry_of_self(CENSUS_PRESENT);
    entry.generation = generation;

    if (ring == NULL)
        return false;
    set_own_program(&entry);
    return census_ring_put_if_roomy(ring, &entry);
}

void census_report_copied(struct profd_process_id process, uint64_t before_ns)
{
    if (!is_behind_filter())
        return;
    struct census_entry entry = {
        .kind = CENSUS_PRESENT,
        .time_ns = before_ns,
        .cpu_ns = PROCESS_CLOCK_UNKNOWN,
        .pid = process.number,
        .parent_pid = census_unasked_parent_of(process.number),
        .obstacle = OBSTACLE_OUT_OF_REACH,
        .is_fork = true,
    };
    set_own_program(&entry);
    (void)put_entry(&entry);
}

void census_report_forked(void)
{
    if (!is_behind_filter())
        return;
    struct profd_process_id process = census_unasked_begin_child();
    if (process.number != 0)
        census_report_copied(process, clock_monotonic_without_call_ns());
}

/* A child of vfork that could not run its program was never another process than this one: it used
 * our memory, which is where it leaves word of that. There is nothing to tell of it, unless it went
 * on for longer than a capture may lack. */
enum { UNBORN_CHILDREN = 64, UNBORN_MOST_NS = 4 * NS_PER_MS };
static _Atomic pid_t unborn[UNBORN_CHILDREN];

static _Atomic pid_t *unborn_place(struct profd_process_id process)
{
    return &unborn[(unsigned)process.number % UNBORN_CHILDREN];
}

static bool was_never_born(struct profd_process_id process)
{
    pid_t expected = process.number;
    return atomic_compare_exchange_strong(unborn_place(process), &expected, 0);
}

static bool is_nothing_to_tell(const struct census_end *end)
{
    return was_never_born(end->process) &&
           (end->cpu_ns == PROCESS_CLOCK_UNKNOWN || end->cpu_ns < UNBORN_MOST_NS);
}

/* profd is not told of most programs there, but the next one needs to know. */
static void leave_clock_for_next(struct census_ring *ring)
{
    int call_errno = errno;
    const pid_t caller = getpid();
    const struct census_entry entry =
        census_ring_foreign_exec(caller, pid_namespace(), process_clock_ns(caller));

    (void)census_ring_put_if_roomy(ring, &entry); /* else its time is the next one's */
    errno = call_errno;
}

void census_report_exec(const struct census_program *program, struct profd_process_id process)
{
    struct census_ring *ring = find_any_ring();
    (void)was_never_born(process); /* it tries again */
    if (ring != NULL && is_foreign() && process.number == getpid())
        leave_clock_for_next(ring);
    tell_program(program, process, CENSUS_EXEC);
}

void census_report_failed(const struct census_program *program, struct profd_process_id process)
{
    atomic_store(unborn_place(process), process.number);
    tell_program(program, process, CENSUS_FAILED);
}

uint64_t census_identity_of(struct profd_process_id process)
{
    return !is_behind_filter() && find_any_ring() != NULL && is_foreign()
               ? pidfd_identity_of_process(process.number)
               : 0;
}

/* The same of an end. Without an identity profd knows the process up to its last reading. */
static void put_foreign_end(struct census_entry *entry, uint64_t identity)
{
    struct census_ring *ring = find_any_ring();

    entry->kind = CENSUS_FOREIGN_ENDED;
    entry->identity = identity;
    if (ring != NULL && identity != 0)
        census_ring_put(ring, entry);
}

void census_report_ended(const struct census_end *end)
{
    int call_errno = errno;
    if (is_nothing_to_tell(end) || (!is_behind_filter() && !census_has_listener()))
        return;
    struct census_entry entry = {
        .kind = CENSUS_ENDED,
        .time_ns = core_now_or_unknown_ns(),
        .pid = end->process.number,
        .parent_pid = is_behind_filter() ? census_unasked_parent_of(end->process.number) : getpid(),
        .wait_status = end->wait_status,
        .cpu_ns = end->cpu_ns,
    };
    if (!put_entry(&entry))
        put_foreign_end(&entry, end->identity);
    errno = call_errno;
}

uint64_t census_clock_at_exec_ns(bool *is_awaited)
{
    struct census_ring *ring = find_any_ring();
    const int32_t pid = profd_current_process_id().number;
    *is_awaited = false;
    if (ring == NULL)
        return PROCESS_CLOCK_UNKNOWN;
    return is_foreign() ? census_ring_clock_at_foreign_exec(ring, pid, pid_namespace())
                        : census_ring_clock_at_exec(ring, pid, is_awaited);
}
