#include "child-agent/front/archive_calls.h"

#include <dlfcn.h>
#include <stddef.h>

#include "child-agent/guest/say.h"
#include "profd.h"

/* The archive's own functions: the Makefile gives those of the agent these names, since the front
 * has the public ones. */
#define X(name) void own_##name(void);
AGENT_CALLS(X)
#undef X

static agent_call_function *const own_functions[AGENT_CALL_COUNT] = {
#define X(name) [AGENT_CALL_##name] = own_##name,
    AGENT_CALLS(X)
#undef X
};

static const struct agent_calls *library; /* whose table the slots have; NULL: our own */

/* Not by what the API has: a program may export its own. */
static const struct agent_calls *find_library(void)
{
    const struct agent_calls *found = dlsym(RTLD_DEFAULT, "profd_library_calls_");
    (void)dlerror(); /* or the program finds what we left */
    return found;
}

bool archive_has_library(void)
{
    return find_library() != NULL;
}

/* The functions beside us do nothing without a session, so what the program says is lost then. */
static void report_failure(const char *why)
{
    say_prepare();
    say("%s; labels, markers and counters of the program are not recorded", why);
}

static bool join_library(const struct agent_calls *found)
{
    if (found->bytes < sizeof(*found)) {
        report_failure("libprofd.so is older than the libprofd.a that the program is linked with");
        return false;
    }
    if (found->follow(&profd_recording) < 0) {
        report_failure("too many libraries of the program are linked with libprofd.a");
        return false;
    }
    return true;
}

/* Several threads may be here at once, and all do the same. */
void archive_find_agent(void)
{
    const struct agent_calls *found = find_library();
    if (found != NULL && join_library(found))
        __atomic_store_n(&library, found, __ATOMIC_RELAXED);
    agent_call_function *const *functions = library != NULL ? library->functions : own_functions;
    for (int call = 0; call < AGENT_CALL_COUNT; call++)
        __atomic_store_n(&archive_slots[call], functions[call], __ATOMIC_RELAXED);
}

void archive_leave_library(void)
{
    if (library != NULL)
        library->unfollow(&profd_recording);
}
