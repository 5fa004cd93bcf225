#include "child-agent/agent.h"

#include <stdbool.h>
#include <string.h>

#include "child-agent/agent_lease.h"
#include "child-agent/agent_link.h"
#include "child-agent/agent_thread.h"
#include "child-agent/barrier.h"
#include "child-agent/core.h"
#include "child-agent/environment.h"
#include "child-agent/fork.h"
#include "child-agent/sampling_signal.h"
#include "child-agent/session.h"
#include "child-agent/thread_registry.h"

static struct environment environment;

/* A session before main and before there is a connection; profd takes it over later. */
static void start_up(void)
{
    struct session_settings settings = {
        .generation = environment.generation,
        .interval_ns = environment.interval_ns,
        .limit_bytes = environment.limit_bytes,
        .features = environment.features,
    };
    memcpy(settings.filters, environment.filters, sizeof(environment.filters));
    if (agent_lease_find(environment.socket_path) < 0)
        return;
    /* Without one the process still says hello, and profd tells why nothing was recorded. */
    (void)session_start(&settings);
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
    struct agent_address address = { .is_default = environment.is_default_socket };
    memcpy(address.path, environment.socket_path, sizeof(address.path));
    core_initialize(argument_count, arguments);
    sampling_signal_initialize(environment.signal_number);
    barrier_register();
    if (thread_registry_initialize() < 0 || fork_follow(&address) < 0) {
        core.is_enabled = false;
        return;
    }
    if (thread_registry_register_current(NULL, true) < 0)
        return;
    if (environment.starts_up && environment.generation != 0)
        start_up();
    if (environment.socket_path[0] != '\0')
        (void)agent_thread_start(&address); /* else nobody steers this process */
}
