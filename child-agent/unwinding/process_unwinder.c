#include "child-agent/unwinding/process_unwinder.h"

#include <errno.h>
#include <stdatomic.h>
#include <stddef.h>

#include "child-agent/core.h"
#include "child-agent/guest/pages.h"
#include "child-agent/unwinding/module_dictionary.h"
#include "child-agent/unwinding/modules.h"

struct process_tables {
    struct module_map *modules;
    struct unwinder *unwinder;
};

static struct process_tables *_Atomic tables; /* NULL: not made yet */

static void destroy_tables(struct process_tables *made)
{
    unwinder_destroy(made->unwinder);
    module_map_destroy(made->modules);
    pages_free(made, sizeof(*made));
}

static int make_tables(struct process_tables **out)
{
    struct process_tables *made = pages_allocate(sizeof(*made));
    if (made == NULL)
        return -ENOMEM;
    int error = module_map_create(&module_dictionary_events, &made->modules);
    if (error == 0)
        error = unwinder_create(made->modules, &made->unwinder);
    if (error == 0)
        *out = made;
    else
        destroy_tables(made);
    return error;
}

/* Whoever is second takes what the first has made. */
static int make_once(void)
{
    struct process_tables *made, *none = NULL;
    if (atomic_load(&tables) != NULL)
        return 0;
    int error = make_tables(&made);
    if (error == 0 && !atomic_compare_exchange_strong(&tables, &none, made))
        destroy_tables(made); /* another thread was first */
    return error;
}

struct unwinder *process_unwinder(void)
{
    struct process_tables *made = atomic_load_explicit(&tables, memory_order_acquire);
    if (made == NULL && make_once() == 0)
        made = atomic_load_explicit(&tables, memory_order_acquire);
    return made != NULL ? made->unwinder : NULL;
}

void process_unwinder_prepare(void)
{
    (void)process_unwinder(); /* without memory there is none */
    struct process_tables *made = atomic_load(&tables);
    if (made == NULL || !module_map_enter(made->modules))
        return;
    (void)module_map_generation(made->modules);
    module_map_leave(made->modules);
}

void process_unwinder_modules_changed(void)
{
    struct process_tables *made = atomic_load(&tables);
    if (made != NULL)
        module_map_changed_at(made->modules, core_now_or_unknown_ns());
}

void process_unwinder_read_mappings(void)
{
    struct process_tables *made = atomic_load(&tables);
    if (made != NULL)
        module_map_read_mappings(made->modules);
}

void process_unwinder_after_fork_child(void)
{
    struct process_tables *made = atomic_load(&tables);
    /* What another thread was changing cannot be trusted, and stays where it is. */
    if (made != NULL && !module_map_after_fork_child(made->modules))
        atomic_store(&tables, NULL);
}
