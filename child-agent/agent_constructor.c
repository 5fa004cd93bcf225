/* Runs before main: nothing of the program has been called yet, but for constructors of libraries
 * that were loaded earlier. */
#include "child-agent/agent.h"

__attribute__((constructor)) static void construct(void)
{
    agent_initialize();
}
