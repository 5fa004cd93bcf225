#include "child-agent/unwinding/module_dictionary.h"

#include <signal.h>

#include "buffer/clock.h"
#include "child-agent/core.h"
#include "child-agent/guest/real_calls.h"

/* Of the thread that holds the dictionary. */
static sigset_t program_mask;
static uint64_t time_of_change_ns;

/* No handler of the program may come in between: what it puts would go into the middle of a record.
 */
static bool begin_changes(uint64_t change_ns, void *context)
{
    sigset_t all, before;
    (void)context;
    sigfillset(&all);
    (void)real_pthread_sigmask(SIG_SETMASK, &all, &before);
    if (core_local.has_arena && dictionary_try_hold(&core.dictionary)) {
        program_mask = before;
        time_of_change_ns = change_ns;
        return true;
    }
    (void)real_pthread_sigmask(SIG_SETMASK, &before, NULL);
    return false;
}

static void end_changes(void *context)
{
    sigset_t before = program_mask;
    (void)context;
    dictionary_release(&core.dictionary);
    (void)real_pthread_sigmask(SIG_SETMASK, &before, NULL);
}

static void on_module_added(const struct module *module, void *context)
{
    (void)context;
    const struct dictionary_library library = {
        .time_ns = time_of_change_ns,
        .start = module->start,
        .end = module->end,
        .load_bias = module->load_bias,
        .path = module->path,
        .build_id = module->build_id,
        .build_id_bytes = module->build_id_bytes,
    };
    (void)dictionary_put_library(&core.dictionary, &library); /* counted when full */
}

static void on_module_removed(const struct module *module, void *context)
{
    (void)context;
    (void)dictionary_put_library_end(&core.dictionary, time_of_change_ns, module->start);
}

const struct module_events module_dictionary_events = { .begin = begin_changes,
                                                        .added = on_module_added,
                                                        .removed = on_module_removed,
                                                        .end = end_changes };
