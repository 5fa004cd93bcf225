#include "child-agent/unwinding/module_dictionary.h"

#include "buffer/clock.h"
#include "child-agent/core.h"

static bool begin_changes(void *context)
{
    (void)context;
    return core_own.has_arena && dictionary_try_hold(&core.dictionary);
}

static void end_changes(void *context)
{
    (void)context;
    dictionary_let_go(&core.dictionary);
}

static void on_module_added(const struct module *module, void *context)
{
    (void)context;
    const struct dictionary_library library = {
        .time_ns = clock_monotonic_ns(),
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
    (void)dictionary_put_library_end(&core.dictionary, clock_monotonic_ns(), module->start);
}

const struct module_events module_dictionary_events = { .begin = begin_changes,
                                                        .added = on_module_added,
                                                        .removed = on_module_removed,
                                                        .end = end_changes };
