#include "daemon/limit/chores.h"

#include "daemon/children/child_table.h"
#include "daemon/limit/memory.h"
#include "daemon/log.h"
#include "daemon/memory/lone_arena.h"

/* Between two looks at all of them: each takes a system call for every chunk. */
#define LOOK_EVERY_NS UINT64_C(250000000)

/* CHILD has an arena, and nobody in it to talk to, or nobody any more. */
static bool is_lone(const struct child *child)
{
    return child_is_unconnected(child) && child->arena_fd >= 0 && child->share != NULL;
}

/* A child whose arena cannot be read ages with its next look, or its end. */
static void update_child(struct memory *memory, struct child *child, uint64_t now_ns)
{
    static struct chunk_update update;
    struct memory_controller *controller = &memory->controller;
    int error = lone_arena_update(child->arena_fd, &update);

    if (error == 0)
        error = memory_controller_update(controller, &child->share->source, controller->generation,
                                         &update, now_ns);
    if (error < 0)
        log_debug_of(child->pid, "cannot age the recordings of %d now: %s", child->pid,
                     uv_strerror(error));
}

void chores_update(struct memory *memory, uint64_t now_ns)
{
    if (now_ns - memory->looked_ns < LOOK_EVERY_NS ||
        memory_controller_total(&memory->controller) <= memory->controller.target_bytes)
        return;
    memory->looked_ns = now_ns;
    for (struct child *child = memory->children->first; child != NULL; child = child->next) {
        if (is_lone(child))
            update_child(memory, child, now_ns);
    }
}

void chores_destroy(struct memory *memory, struct child *child, uint64_t done_ns, uint64_t now_ns)
{
    if (!is_lone(child))
        return;
    int64_t destroyed =
        lone_arena_destroy(child->arena_fd, &memory->ledger, child->lease_owner, done_ns);
    if (destroyed < 0)
        log_warn_of_many(child->pid, "cannot drop the oldest recordings of %d (%s): %s", child->pid,
                         child->executable, uv_strerror((int)destroyed));
    update_child(memory, child, now_ns);
}

void chores_end_session(struct memory *memory)
{
    for (struct child *child = memory->children->first; child != NULL; child = child->next) {
        if (!is_lone(child))
            continue;
        int error = lone_arena_clear(child->arena_fd, &memory->ledger, child->lease_owner);
        if (error < 0)
            log_warn_of_many(child->pid, "cannot free the recordings of %d (%s): %s", child->pid,
                             child->executable, uv_strerror(error));
    }
}
