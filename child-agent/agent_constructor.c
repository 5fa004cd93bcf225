/* Runs before main: nothing of the program has been called yet, but for constructors of libraries
 * that were loaded earlier. glibc hands every constructor what main will get. */
#include "child-agent/agent.h"

__attribute__((constructor)) static void construct(int argument_count, char **arguments)
{
    agent_initialize(argument_count, arguments);
}
