#include "child-agent/agent_thread.h"

#include <errno.h>
#include <pthread.h>
#include <stdbool.h>
#include <unistd.h>

#include "buffer/clock.h"
#include "child-agent/agent_gather.h"
#include "child-agent/agent_lease.h"
#include "child-agent/agent_link.h"
#include "child-agent/agent_news.h"
#include "child-agent/agent_orders.h"
#include "child-agent/agent_updates.h"
#include "child-agent/agent_waits.h"
#include "child-agent/arena_losses.h"
#include "child-agent/core.h"
#include "child-agent/guest/descriptor.h"
#include "child-agent/guest/gate.h"
#include "child-agent/guest/named_mutex.h"
#include "child-agent/guest/own_thread.h"
#include "child-agent/process_arena.h"
#include "child-agent/sampler/clock_sampling.h"
#include "child-agent/sampler/look_alarm.h"
#include "child-agent/sampler/looker.h"
#include "child-agent/sampler/sampler.h"
#include "child-agent/sampler/sampling_signal.h"
#include "child-agent/session.h"
#include "ipc/messages.h"

enum {
    AGENT_FIRST_RETRY_MS = 20,
    AGENT_SLOW_RETRY_MS = 1000, /* from here on the rests grow by an eighth */
    AGENT_LAST_RETRY_MS = 10 * 1000,
    AGENT_START_WAIT_MS =
        200, /* where the kernel doesn't let the thread run, the program goes on */
};

static struct {
    pthread_t thread;
    struct named_mutex lock; /* held while a message is obeyed */
    bool is_running;
    struct agent_standing standing;
    struct agent_address address;
    bool has_own_table;    /* of descriptors */
    struct gate own_table; /* open once the program cannot close what the agent has */
} agent = { .lock = NAMED_MUTEX_INITIALIZER(AGENT) };

static __thread bool is_held; /* agent.lock, by the calling thread: several may fork at once */

static int read_and_obey(void)
{
    const uint8_t *payload;
    size_t bytes;
    int kind, got;
    int error = agent_link_fill();
    if (error < 0)
        return error;
    while ((got = agent_link_next(&kind, &payload, &bytes)) > 0) {
        named_mutex_lock(&agent.lock);
        error = agent_orders_obey(&agent.standing, kind, payload, bytes);
        named_mutex_unlock(&agent.lock);
        if (error < 0)
            return error;
    }
    return got;
}

/* Nothing came while we waited. */
static int on_quiet(void)
{
    if (agent_link_gave_arena())
        return 0;
    named_mutex_lock(&agent.lock);
    int error = process_arena_make();
    named_mutex_unlock(&agent.lock);
    return error == 0 ? -ESTALE : 0; /* now there is something to say hello with */
}

/* As agent_link_wait(), until there is something to do with the connection. Nothing wakes a process
 * in which nothing happens: an update that profd awaits does so when there is one. */
static int wait_for_news(void)
{
    const uint64_t due_ns = agent_news_due_ns(&agent.standing);
    bool awaits_update =
        due_ns == LOOK_ALARM_NEVER && agent.standing.owes_update && session_is_active();
    int got = 0;
    do {
        if (awaits_update && !agent_updates_await())
            break;
        got = agent_waits_once(true, due_ns);
        agent_updates_stop_awaiting();
    } while (got == 0 && clock_monotonic_ns() < due_ns);
    return got;
}

/* Whether the only descriptor of our arena may be lost with whom it was given to. If it is not, to
 * act on it costs a copy of the arena for nothing, and the recording has a gap. A session of the
 * program's own is in its way as long as profd begins none. */
static bool may_arena_be_lost(void)
{
    return core_local.has_arena && agent_link_gave_only_arena() && !session_is_own() &&
           arena_losses_are_new();
}

/* Until the connection ends. True when it did only because there is an arena to say hello with. */
static bool serve_connection(void)
{
    int error = 0;
    agent_news_begin();
    while (error >= 0) {
        error = wait_for_news();
        if (error > 0)
            error = read_and_obey();
        else if (error == 0)
            error = on_quiet();
        if (error >= 0 && may_arena_be_lost())
            error = -ESTALE; /* profd found out only after our hello */
        if (error >= 0)
            error = agent_news_send(&agent.standing);
    }
    agent_link_close();
    agent.standing.owes_update = false;
    return error == -ESTALE && session_is_active();
}

/* While nobody records, the arena can have another file for the next profd. One that has taken over
 * begins the session anew with its welcome. After an error there is none: profd could not read what
 * is recorded, and it would take memory from others. */
static int renew_given_arena(void)
{
    if (!agent_lease_has_ended())
        session_suspend();
    session_discard_unwanted();
    if (session_is_active() || !dictionary_try_hold(&core.dictionary))
        return -EBUSY;
    int error = process_arena_renew();
    dictionary_release(&core.dictionary);
    if (error < 0)
        return error;
    agent_link_take_arena_back();
    arena_losses_note();
    return 0;
}

/* A profd that is started again is found at once; where there is none for long, hardly anybody
 * wakes up. */
static int longer_rest_ms(int rest)
{
    int longer = rest < AGENT_SLOW_RETRY_MS ? rest * 2 : rest + rest / 8;
    return longer < AGENT_LAST_RETRY_MS ? longer : AGENT_LAST_RETRY_MS;
}

static int open_link(void)
{
    int error = 0;
    named_mutex_lock(&agent.lock);
    if (may_arena_be_lost())
        error = renew_given_arena();
    if (error == 0)
        error = agent_link_open(&agent.address);
    named_mutex_unlock(&agent.lock);
    return error;
}

/* A profd that ended in good order asks for nothing any more. */
static void stop_ended_session(void)
{
    named_mutex_lock(&agent.lock);
    if (agent_lease_has_ended() && !session_is_own())
        session_stop();
    named_mutex_unlock(&agent.lock);
}

/* Until one refuses us that speaks another language, or the thread is to end. */
static void serve_profd(void)
{
    int retry_ms = AGENT_FIRST_RETRY_MS;
    while (!agent.standing.is_refused) {
        agent.standing.is_welcome = false;
        if ((agent_link_is_open() || open_link() == 0) && serve_connection())
            continue;
        if (agent_waits_are_over())
            return; /* who waits for that may hold any lock */
        if (agent.standing
                .is_welcome) /* else one that takes in nobody would be asked without a pause */
            retry_ms = AGENT_FIRST_RETRY_MS;
        stop_ended_session();
        if (!agent.standing.is_refused)
            agent_waits_rest(clock_monotonic_in_ms((uint64_t)retry_ms));
        retry_ms = longer_rest_ms(retry_ms);
    }
}

static void *agent_main(void *argument)
{
    agent.has_own_table = own_thread_leave_descriptors(true);
    gate_open(&agent.own_table);
    own_thread_set_name("profd-agent");
    sampling_signal_only_wakes();
    looker_begin(agent.has_own_table);
    serve_profd();
    agent_waits_rest(LOOK_ALARM_NEVER); /* and looks for sessions of the program's own */
    looker_end();
    return argument;
}

/* profd is not to wait for a thread that could not be made. */
static void leave_link(const struct descriptor_identity *arena)
{
    agent_link_close();
    descriptor_close_here(arena);
}

int agent_thread_start(const struct agent_address *address)
{
    if (address != NULL)
        agent.address = *address;
    int error = agent_link_open(&agent.address);
    /* No profd yet, or a busy one: the thread will try again. */
    (void)error;
    const struct descriptor_identity socket = descriptor_identity(DESCRIPTOR_SOCKET);
    const struct descriptor_identity arena = descriptor_identity(DESCRIPTOR_ARENA);
    gate_close(&agent.own_table);
    clock_sampling_prepare_threads();
    sampler_note_agent_thread(true);
    error = own_thread_create(&agent.thread, agent_main, NULL);
    agent.is_running = error == 0;
    sampler_note_agent_thread(agent.is_running);
    if (error < 0)
        leave_link(&arena);
    /* The first thing that the program does may be to close all descriptors; it is to see none of
     * ours. */
    if (error == 0 && gate_wait(&agent.own_table, AGENT_START_WAIT_MS) && agent.has_own_table) {
        descriptor_close_here(&socket);
        descriptor_close_here(&arena);
    }
    return error;
}

int agent_thread_introduce(const struct agent_address *address)
{
    agent.address = *address;
    int error = agent_link_introduce(address);
    core_local.is_alone = error == 0;
    return error;
}

int agent_thread_introduce_again(void)
{
    agent_link_take_arena_back();
    return agent_link_introduce(&agent.address);
}

int agent_thread_find_ledger(void)
{
    return agent_lease_renew(agent.address.path);
}

bool agent_thread_is_alone(void)
{
    return core_local.is_alone;
}

bool agent_thread_has_address(void)
{
    return agent.address.path[0] != '\0';
}

bool agent_thread_is_running(void)
{
    return agent.is_running;
}

bool agent_thread_stop(void)
{
    if (!agent.is_running)
        return false;
    agent_waits_end();
    (void)pthread_join(agent.thread, NULL); /* fails only for a thread that is not ours */
    agent_waits_reset();
    sampler_note_agent_thread(false);
    agent_gather_wait();
    agent.is_running = false;
    agent.standing.owes_update = false;
    agent_link_close();
    return true;
}

bool agent_thread_hold(void)
{
    is_held = named_mutex_lock_polling(&agent.lock);
    return is_held;
}

void agent_thread_release(void)
{
    if (is_held)
        named_mutex_unlock(&agent.lock);
    is_held = false;
}

bool agent_thread_is_free(void)
{
    return named_mutex_is_free_in_handler(&agent.lock);
}

void agent_thread_before_fork(void)
{
    (void)agent_thread_hold(); /* without, the child may find a session that was changing */
}

void agent_thread_after_fork_parent(void)
{
    agent_thread_release();
}

void agent_thread_after_fork_child(void)
{
    named_mutex_reset(&agent.lock);
    is_held = false;
    agent.is_running = false;
    agent_waits_reset();
    core_local.is_alone = false;
    agent.standing.owes_update = false;
    agent_link_after_fork_child();
    agent_gather_reset();
    agent_updates_reset();
}
