/* Where the life of libprofd.so's agent begins and ends. Before main nothing of the program has run
 * but constructors of libraries that were loaded earlier; glibc hands every constructor what main
 * will get. */
#include "child-agent/agent.h"

__attribute__((constructor)) static void construct(int argument_count, char **arguments)
{
    agent_initialize(argument_count, arguments);
}

__attribute__((destructor)) static void destruct(void)
{
    agent_finish();
}
