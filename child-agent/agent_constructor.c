/* Where the agent's life begins and ends. Before main nothing of the program has run but
 * constructors of libraries that were loaded earlier; glibc hands every constructor what main will
 * get. */
#include "child-agent/agent.h"
#include "child-agent/sampler.h"
#include "child-agent/shutdown_profile.h"

__attribute__((constructor)) static void construct(int argument_count, char **arguments)
{
    agent_initialize(argument_count, arguments);
}

/* What the last tick found is kept; else a process shorter than an interval would leave no sample.
 */
__attribute__((destructor)) static void destruct(void)
{
    sampler_flush_at_exit();
    shutdown_profile_write();
}
