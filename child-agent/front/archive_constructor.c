/* Where the life of libprofd.a's agent begins and ends, unless the process has libprofd.so. */
#include "child-agent/agent.h"
#include "child-agent/front/archive_calls.h"

/* Before the program's own constructors and after its destructors, as those of a library are. */
enum { EARLIEST = 101 };

__attribute__((constructor(EARLIEST))) static void construct(int argument_count, char **arguments)
{
    archive_find_agent();
    if (!archive_has_library())
        agent_initialize(argument_count, arguments);
}

__attribute__((destructor(EARLIEST))) static void destruct(void)
{
    archive_leave_library();
    if (!archive_has_library())
        agent_finish();
}
