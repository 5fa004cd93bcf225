#include "daemon/memory/chores.h"

#include <signal.h>
#include <unistd.h>

#include "daemon/daemon.h"
#include "daemon/log.h"
#include "daemon/memory/lone_arena.h"
#include "ipc/thread_request.h"

/* Between two looks at all of them: each takes a system call for every chunk. */
#define LOOK_EVERY_NS UINT64_C(250000000)

/* Between requests for threads; twice as long each time, but for the last ones. */
#define FIRST_REQUEST_AFTER_NS UINT64_C(100000000)
enum { MOST_REQUEST_DOUBLINGS = 6 };

/* CHILD has an arena, and nobody in it to talk to. */
static bool is_lone(const struct child *child)
{
    return child->is_alone && child->arena_fd >= 0 && child->state != CHILD_ENDED &&
           child->memory.is_added;
}

/* A child whose arena cannot be read ages with its next look, or its end. */
static void update_child(struct child *child, uint64_t now_ns)
{
    static struct chunk_update update;
    struct memory_controller *controller = &child->profd->memory.controller;
    int error = lone_arena_update(child->arena_fd, &update);

    if (error == 0)
        error = memory_controller_update(controller, &child->memory, controller->generation,
                                         &update, now_ns);
    if (error < 0)
        log_debug("what %d recorded cannot be aged now: %s", child->pid, uv_strerror(error));
}

void chores_update(struct daemon *profd, uint64_t now_ns)
{
    struct memory *memory = &profd->memory;

    if (now_ns - memory->looked_ns < LOOK_EVERY_NS ||
        memory_controller_total(&memory->controller) <= memory->controller.target_bytes)
        return;
    memory->looked_ns = now_ns;
    for (struct child *child = profd->children.first; child != NULL; child = child->next) {
        if (is_lone(child))
            update_child(child, now_ns);
    }
}

void chores_destroy(struct child *child, uint64_t done_ns, uint64_t now_ns)
{
    struct lease_ledger *ledger = &child->profd->memory.ledger;

    if (!is_lone(child))
        return;
    int64_t destroyed = lone_arena_destroy(child->arena_fd, ledger, child->lease_owner, done_ns);
    if (destroyed < 0)
        log_warn_of_many("the oldest of what %d (%s) recorded cannot be dropped: %s", child->pid,
                         child->executable, uv_strerror((int)destroyed));
    update_child(child, now_ns);
}

/* --- Threads, where the session needs them --- */

static bool needs_threads(const struct session_settings *settings)
{
    const uint64_t beyond_handlers =
        FEATURE_UNREGISTERED_THREADS | FEATURE_NATIVEALLOCS | FEATURE_MEMORY;

    return settings->clock == SAMPLING_CLOCK_PERF || settings->clock == SAMPLING_CLOCK_WALL ||
           (settings->features & beyond_handlers) != 0 || settings->marker_triggers[0] != '\0';
}

/* The longer it could not, the less often: each request may cut a call of the program short. */
static void ask_for_threads(struct child *child, uint64_t now_ns)
{
    struct arena_header header;

    if (child->requests_generation != child->profd->session.generation)
        child->requests = 0;
    else if (now_ns - child->requested_ns < FIRST_REQUEST_AFTER_NS << child->requests)
        return;
    child->requests_generation = child->profd->session.generation;
    child->requests += child->requests < MOST_REQUEST_DOUBLINGS;
    child->requested_ns = now_ns;
    if (pread(child->arena_fd, &header, sizeof(header), 0) != (ssize_t)sizeof(header))
        return;
    int number = atomic_load(&header.request_signal);
    int error = number == SIGURG || number == SIGWINCH || number >= SIGRTMIN
                    ? thread_request_send(child->pid, number)
                    : 0;
    if (error < 0)
        log_debug("%d cannot be asked for threads: %s", child->pid, uv_strerror(error));
}

void chores_ask_for_threads(struct daemon *profd, uint64_t now_ns)
{
    if (!session_is_on(&profd->session) || !needs_threads(&profd->session.settings))
        return;
    for (struct child *child = profd->children.first; child != NULL; child = child->next) {
        if (is_lone(child))
            ask_for_threads(child, now_ns);
    }
}

void chores_end_session(struct daemon *profd)
{
    for (struct child *child = profd->children.first; child != NULL; child = child->next) {
        if (!is_lone(child))
            continue;
        int error = lone_arena_clear(child->arena_fd, &profd->memory.ledger, child->lease_owner);
        if (error < 0)
            log_warn_of_many("what %d (%s) recorded keeps its memory: %s", child->pid,
                             child->executable, uv_strerror(error));
    }
}
