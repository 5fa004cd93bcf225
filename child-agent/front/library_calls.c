/* libprofd.so's table of the API, for programs that have libprofd.a inside. The linker takes the
 * functions of this library (-Bsymbolic-functions), whatever the program itself exports. */
#include "child-agent/front/agent_calls.h"
#include "child-agent/recording_word.h"
#include "profd.h"

const struct agent_calls profd_library_calls_ = {
    .bytes = sizeof(struct agent_calls),
    .follow = recording_word_follow,
    .unfollow = recording_word_unfollow,
    .functions = {
#define X(name) [AGENT_CALL_##name] = (agent_call_function *)name,
        AGENT_CALLS(X)
#undef X
    },
};
