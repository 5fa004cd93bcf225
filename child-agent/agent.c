#include "child-agent/agent.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "buffer/clock.h"
#include "buffer/process_clock.h"
#include "child-agent/agent_lease.h"
#include "child-agent/agent_presence.h"
#include "child-agent/census.h"
#include "child-agent/census_message.h"
#include "child-agent/clock_tick.h"
#include "child-agent/core.h"
#include "child-agent/counters/counters.h"
#include "child-agent/dormancy.h"
#include "child-agent/environment.h"
#include "child-agent/fork.h"
#include "child-agent/groups/groups.h"
#include "child-agent/guest/barrier.h"
#include "child-agent/guest/process_memory.h"
#include "child-agent/guest/say.h"
#include "child-agent/one_thread.h"
#include "child-agent/process_arena.h"
#include "child-agent/process_title.h"
#include "child-agent/program/profd_call.h"
#include "child-agent/resting.h"
#include "child-agent/sampler/sampler.h"
#include "child-agent/sampler/sampling_signal.h"
#include "child-agent/session.h"
#include "child-agent/session_offer.h"
#include "child-agent/shutdown_profile.h"
#include "child-agent/threads/thread_registry.h"
#include "child-agent/upcalls.h"
#include "common/apart.h"

static LARGE_EARLY struct environment environment;

static const struct upcalls upcalls = {
    .wake = dormancy_wake,
    .ensure_thread = agent_presence_ensure_thread,
    .end_threads = one_thread_stop_agent_threads,
    .make_arena = one_thread_make_shared_arena,
    .look_for_session = resting_look,
    .begin_messages = session_begin_messages,
    .take_tick = clock_tick_take,
};

static void settings_of_environment(struct session_settings *out)
{
    *out = (struct session_settings){
        .generation =
            environment.socket_path[0] != '\0' ? environment.generation : SESSION_OWN_GENERATION,
        .interval_ns = environment.interval_ns,
        .limit_bytes = environment.limit_bytes,
        .features = environment.features,
        .clock = environment.clock,
        .allocation_interval_bytes = environment.allocation_interval_bytes,
    };
    memcpy(out->filters, environment.filters, sizeof(environment.filters));
}

/* Whether profd's own word can be had. 0, also without it, or why it cannot be had in time. */
static int look_for_profd(bool *is_there)
{
    struct lease_ledger *ledger = NULL;
    int error = 0;
    if (environment.socket_path[0] != '\0')
        error = agent_lease_find(environment.socket_path);
    if (error == 0)
        error = agent_lease_get(&ledger);
    *is_there = ledger != NULL;
    return error;
}

/* A session before main and before there is a connection: the one that profd has on, or without a
 * profd as the environment has it, for one to take over later. */
static bool find_session(struct session_settings *out)
{
    bool sees_profd;
    if (look_for_profd(&sees_profd) < 0)
        return false;
    if (sees_profd)
        return session_offer_read(out);
    settings_of_environment(out);
    return environment.starts_up && environment.generation != 0;
}

/* True when it waits until there is something to record. */
static bool start_session(const struct agent_address *address)
{
    static LARGE_EARLY struct session_settings settings;
    if (!find_session(&settings))
        return false;
    process_arena_set_room(settings.limit_bytes);
    if (dormancy_begin(&settings, address))
        return true;
    int error = session_start(&settings);
    /* Where there is a profd the process says hello all the same, and is told of there. */
    if (error < 0)
        shutdown_profile_cancel(error);
    return false;
}

static void obey_shutdown(void)
{
    if (environment.shutdown_pattern[0] == '\0')
        return;
    int error = shutdown_profile_prepare(environment.shutdown_pattern);
    if (error == 0)
        return;
    say("PROFD_SHUTDOWN: cannot write to %s: %s; nothing is recorded", environment.shutdown_pattern,
        error == -EINVAL ? "not a regular file" : strerrordesc_np(-error));
    environment.starts_up = false;
}

/* What the user is told before anything is done. */
static void print_messages(void)
{
    say_prepare();
    if (environment.wants_help) {
        environment_print_help(STDOUT_FILENO);
        _exit(EXIT_SUCCESS);
    }
    if (environment.problem[0] != '\0')
        say("%s; nothing is recorded%s", environment.problem,
            environment.socket_path[0] != '\0' ? " until profd asks for it" : "");
    obey_shutdown();
}

/* profd has found out already what there is to know of the machine. */
static void initialize_clock(void)
{
    struct lease_ledger *ledger;
    if (environment.starts_up && environment.socket_path[0] != '\0' &&
        agent_lease_find(environment.socket_path) == 0 && agent_lease_get(&ledger) == 0 &&
        ledger != NULL)
        clock_adopt((enum tsc_knowledge)atomic_load(&ledger->header->tsc));
    clock_initialize();
}

/* Whoever is a program by exec has its predecessor's clocks, whose time was told by that one,
 * beside the ledger. */
static void note_predecessor(const struct agent_address *address)
{
    if (address->path[0] != '\0')
        (void)agent_lease_find(address->path);
    uint64_t exec_ns = census_clock_at_exec_ns(&core_local.is_awaited);
    uint64_t process_ns = clock_read_ns(CLOCK_PROCESS_CPUTIME_ID);
    uint64_t thread_ns = clock_read_ns(CLOCK_THREAD_CPUTIME_ID);
    if (exec_ns != PROCESS_CLOCK_UNKNOWN && exec_ns < process_ns &&
        process_ns - exec_ns < thread_ns)
        core_local.cpu_before_exec_ns = thread_ns - (process_ns - exec_ns);
}

void agent_initialize(int argument_count, char **arguments)
{
    static bool is_done;
    if (is_done)
        return;
    is_done = true;
    environment_read(&environment);
    if (environment.is_disabled)
        return;
    process_memory_note_first_libraries();
    upcalls_begin(&upcalls);
    print_messages();
    struct agent_address address = { .is_default = environment.is_default_socket };
    memcpy(address.path, environment.socket_path, sizeof(address.path));
    initialize_clock();
    process_arena_set_labels(environment.labels, environment.labels_left_out);
    process_title_initialize(argument_count, arguments);
    core_initialize(argument_count, arguments);
    sampling_signal_initialize(environment.signal_number);
    barrier_register();
    (void)counters_initialize(); /* without, threads add to what they have in common */
    int error = thread_registry_initialize();
    if (error == 0)
        error = fork_follow(&address);
    profd_call_follow(&address);
    census_message_follow(&address);
    if (error < 0) {
        core.is_enabled = false;
        shutdown_profile_cancel(error);
        return;
    }
    error = thread_registry_register_current(NULL, true);
    if (error < 0) {
        shutdown_profile_cancel(error);
        return;
    }
    note_predecessor(&address);
    if (!start_session(&address))
        (void)agent_presence_begin(&address); /* without, nobody steers this process */
    groups_follow();
}

void agent_finish(void)
{
    dormancy_prepare_end();
    if (session_is_active())
        sampler_flush_at_exit();
    shutdown_profile_write();
}
