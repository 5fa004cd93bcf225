/* Where the agent's life begins and ends. Before main nothing of the program has run but
 * constructors of libraries that were loaded earlier; glibc hands every constructor what main will
 * get. */
#include <dlfcn.h>
#include <stdbool.h>

#include "child-agent/agent.h"
#include "child-agent/process_title.h"
#include "child-agent/sampler/sampler.h"
#include "child-agent/shutdown_profile.h"

static void construct(int argument_count, char **arguments);

/* Whether this is libprofd.a in a program that was started with libprofd.so: two agents of one
 * process would not leave each other the connection, so the preloaded one has it alone. The API
 * doesn't tell them apart: a program may export its own. */
static bool is_second_agent(void)
{
    Dl_info theirs, ours;
    const void *library = dlsym(RTLD_DEFAULT, "profd_library_is_here_");
    (void)dlerror(); /* or the program finds what we left */
    return library != NULL && dladdr(library, &theirs) != 0 &&
           dladdr((const void *)&construct, &ours) != 0 && theirs.dli_fbase != ours.dli_fbase;
}

__attribute__((constructor)) static void construct(int argument_count, char **arguments)
{
    if (is_second_agent())
        return;
    agent_initialize(argument_count, arguments);
}

/* What the last tick found is kept; else a process shorter than an interval would leave no sample.
 */
__attribute__((destructor)) static void destruct(void)
{
    process_title_follow();
    sampler_flush_at_exit();
    shutdown_profile_write();
}
