#include "daemon/limit/memory.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "buffer/clock.h"
#include "buffer/session_word.h"
#include "common/time_units.h"
#include "daemon/children/child_table.h"
#include "daemon/limit/chores.h"
#include "daemon/log.h"
#include "daemon/memory/exit_store.h"
#include "daemon/outbox.h"
#include "daemon/session.h"
#include "daemon/shared_tick.h"
#include "ipc/ledger_file.h"

enum {
    /* Between two decisions: a busy machine fills a chunk a millisecond, and sixteen times as many
     * are free. */
    DECIDE_EVERY_MS = 10,
    /* To see whether children did what they were told. */
    LOOK_AGAIN_MS = 100,
    /* For units of images that ended before they said hello. They are freed at the second look: a
     * hello may be on its way at the first. */
    RECLAIM_EVERY_MS = 2000,
    /* Those who tell nothing bring about no decision. */
    CHORES_EVERY_MS = 1000,
};

/* For a child to do what it was told; its agent looks up twenty times as often. */
enum { PATIENCE_NS = NS_PER_S };

/* --- The ledger --- */

/* Ended, and not a child whose arena is ours to keep. */
static bool is_lost(const struct memory *memory, const struct lease_census *census, size_t at)
{
    lease_owner owner = census->holders[at].owner;

    return child_table_find_owner(memory->children, owner) == NULL &&
           !memory->events->is_awaited(owner, memory->context) &&
           lease_census_has_ended(census, at);
}

/* Those of CENSUS that are lost. */
static int find_lost_holders(const struct memory *memory, const struct lease_census *census,
                             struct lease_census *lost)
{
    *lost = (struct lease_census){ .holders = calloc(census->count + 1, sizeof(*lost->holders)) };
    if (lost->holders == NULL)
        return -ENOMEM;
    for (size_t i = 0; i < census->count; i++) {
        if (is_lost(memory, census, i))
            lost->holders[lost->count++] = census->holders[i];
    }
    return 0;
}

/* Frees what those that are lost now and were at the last look have. */
static void reclaim_units(struct memory *memory, struct lease_census *lost)
{
    for (size_t i = 0; i < lost->count; i++) {
        lease_owner owner = lost->holders[i].owner;
        if (lease_census_units(&memory->suspects, owner) > 0)
            lease_move(&memory->ledger, owner, LEASE_OWNER_NOBODY, UINT32_MAX);
    }
    lease_census_free(&memory->suspects);
    memory->suspects = *lost;
}

static void on_reclaim(uv_timer_t *timer)
{
    struct memory *memory = timer->data;
    struct lease_census census, lost;

    (void)shared_tick_start(timer, on_reclaim, RECLAIM_EVERY_MS); /* it is not closing */
    /* Without it agents find out by themselves, which takes longer. */
    (void)ledger_file_claim(&memory->ledger, memory->ledger_fd);
    if (lease_census_take(&memory->ledger, &census) < 0)
        return; /* another time */
    if (find_lost_holders(memory, &census, &lost) == 0)
        reclaim_units(memory, &lost);
    lease_census_free(&census);
}

int memory_open(struct memory *memory, const char *socket_path, uint64_t limit_bytes,
                enum ledger_place place, enum ledger_past *past)
{
    int error = ledger_file_make(socket_path, limit_bytes, place, &memory->ledger,
                                 &memory->ledger_fd, past);

    if (error < 0) {
        log_error("cannot create %s%s, the memory ledger: %s", socket_path, LEDGER_FILE_SUFFIX,
                  uv_strerror(error));
        return error;
    }
    if (*past == LEDGER_PAST_ADOPTED) {
        /* The exit store of the killed one went with it. */
        lease_move(&memory->ledger, LEASE_OWNER_EXITS, LEASE_OWNER_NOBODY, UINT32_MAX);
        log_info("taking over the memory leases of the previous profd");
    }
    memory->socket_path = socket_path;
    memory->controller.target_bytes = memory_controller_target(limit_bytes);
    clock_initialize();
    atomic_store(&memory->ledger.header->tsc, clock_tsc_knowledge()); /* agents need not find out */
    exit_store_settle(memory->exits);
    (void)ledger_file_claim(&memory->ledger, memory->ledger_fd);
    return shared_tick_start(&memory->reclaim_timer, on_reclaim, RECLAIM_EVERY_MS);
}

int memory_init(struct memory *memory, uv_loop_t *loop, const struct memory_views *views,
                const struct memory_events *events, void *context)
{
    memory->children = views->children;
    memory->session = views->session;
    memory->exits = views->exits;
    memory->events = events;
    memory->context = context;
    memory->ledger_fd = -1;
    memory_controller_init(&memory->controller, UINT64_MAX, PATIENCE_NS);
    int error = uv_timer_init(loop, &memory->timer);
    if (error == 0)
        error = uv_timer_init(loop, &memory->reclaim_timer);
    if (error == 0)
        error = uv_timer_init(loop, &memory->chores_timer);
    memory->timer.data = memory->reclaim_timer.data = memory->chores_timer.data = memory;
    memory->is_open = error == 0;
    return error;
}

void memory_leave(struct memory *memory, uint64_t until_ns)
{
    ledger_file_leave(&memory->ledger, until_ns);
    memory_close(memory);
}

void memory_close(struct memory *memory)
{
    if (!memory->is_open)
        return;
    memory->is_open = false;
    ledger_file_end(memory->socket_path, &memory->ledger);
    if (memory->ledger_fd >= 0)
        close(memory->ledger_fd);
    memory->ledger_fd = -1;
    lease_census_free(&memory->suspects);
    uv_close((uv_handle_t *)&memory->timer, NULL);
    uv_close((uv_handle_t *)&memory->reclaim_timer, NULL);
    uv_close((uv_handle_t *)&memory->chores_timer, NULL);
}

/* --- Deciding --- */

/* Tells each child once what is the most of what was chosen of it. */
static void send_orders(struct memory *memory, struct child *first, uint64_t now_ns)
{
    struct message_destroy_released message = { .generation = memory->session->generation };

    for (struct child *child = first; child != NULL; child = child->share->next_to_destroy) {
        message.done_ns = child->share->destroy_until_ns;
        child->share->destroy_until_ns = 0;
        if (child->connection != NULL)
            outbox_destroy_released(child->connection, MESSAGE_DESTROY_RELEASED_CHUNKS_AT_OR_BEFORE,
                                    &message);
        else
            chores_destroy(memory, child, message.done_ns, now_ns);
    }
}

static void decide_drops(struct memory *memory, uint64_t now_ns)
{
    uint64_t taken = lease_ledger_recount(&memory->ledger, NULL);
    struct child *first = NULL;
    struct chunk_drop drop;

    memory->decided_ns = now_ns;
    memory_controller_note_taken(&memory->controller, taken * LEASE_UNIT_BYTES);
    chores_update(memory, now_ns);
    while (memory_controller_next_drop(&memory->controller, now_ns, &drop)) {
        if (drop.source->kind == MEMORY_OF_EXIT) {
            exit_store_drop(memory->exits, drop.source, drop.slot);
            continue;
        }
        struct child *child = drop.source->owner;
        struct memory_share *share = child->share;
        if (share->destroy_until_ns == 0) {
            share->next_to_destroy = first;
            first = child;
        }
        if (drop.done_ns > share->destroy_until_ns)
            share->destroy_until_ns = drop.done_ns;
    }
    exit_store_settle(memory->exits);
    send_orders(memory, first, now_ns);
}

static void on_timer(uv_timer_t *timer);

void memory_schedule_decision(struct memory *memory)
{
    uint64_t now_ns = uv_hrtime();
    uint64_t passed_ms = (now_ns - memory->decided_ns) / NS_PER_MS;

    if (!memory->is_open || memory->ledger.header == NULL)
        return;
    if (passed_ms < DECIDE_EVERY_MS) {
        uv_timer_start(&memory->timer, on_timer, DECIDE_EVERY_MS - passed_ms, 0);
        return;
    }
    decide_drops(memory, now_ns);
    if (memory->controller.waiting.first != NULL)
        uv_timer_start(&memory->timer, on_timer, LOOK_AGAIN_MS, 0);
}

static void on_timer(uv_timer_t *timer)
{
    memory_schedule_decision(timer->data);
}

static void on_chores(uv_timer_t *timer)
{
    struct memory *memory = timer->data;

    if (!session_is_on(memory->session))
        return;
    memory_schedule_decision(memory);
    (void)shared_tick_start(timer, on_chores, CHORES_EVERY_MS); /* it is not closing */
}

/* --- Sessions and children --- */

_Static_assert(MESSAGE_MAX_FILTERS < (int)SESSION_BOARD_FILTERS_BYTES, "filters fit the board");
_Static_assert(TRIGGER_LINES_BYTES <= (int)SESSION_BOARD_TRIGGERS_BYTES, "and so do triggers");

/* For those who are to join it; before its word, which they look at first. */
static void write_board(const struct memory *memory)
{
    static struct session_terms terms;
    const struct session *session = memory->session;
    const struct session_settings *settings = &session->settings;

    terms = (struct session_terms){
        .generation = session->generation,
        .revision = session->revision,
        .clock = settings->clock,
        .interval_ns = settings->interval_ns,
        .limit_bytes = settings->memory_limit_bytes,
        .features = settings->features,
        .allocation_interval_bytes = settings->allocation_interval_bytes,
    };
    strcpy(terms.filters, settings->thread_filters); /* no longer than the board's, as the next */
    strcpy(terms.marker_triggers, settings->marker_triggers);
    session_board_write(memory->ledger.board, &terms);
}

void memory_publish_session(struct memory *memory, bool may_be_alone)
{
    struct lease_ledger_header *header = memory->ledger.header;
    const struct session *session = memory->session;
    const struct session_word word = {
        .generation = session_is_on(session) ? session->generation : 0,
        .is_paused = session_is_paused(session),
        .is_sampling_paused = session->is_sampling_paused,
        .revision = session->revision,
    };

    if (header == NULL)
        return;
    /* Triggers are told of by messages. */
    atomic_store(&header->may_be_alone,
                 may_be_alone && session->settings.marker_triggers[0] == '\0');
    if (word.generation != 0)
        write_board(memory);
    atomic_store(&header->session_word, session_word_pack(&word));
}

uint64_t memory_set_limit(struct memory *memory, uint64_t limit_bytes)
{
    int error = lease_ledger_set_limit(&memory->ledger, limit_bytes);

    if (error < 0) {
        log_error("cannot change the memory limit: %s", uv_strerror(error));
        limit_bytes = lease_ledger_limit_bytes(&memory->ledger);
    }
    memory->controller.target_bytes = memory_controller_target(limit_bytes);
    return limit_bytes;
}

void memory_begin_session(struct memory *memory)
{
    memory->controller.generation = memory->session->generation;
    (void)shared_tick_start(&memory->chores_timer, on_chores, CHORES_EVERY_MS);
    for (struct child *child = memory->children->first; child != NULL; child = child->next) {
        if (child->share != NULL)
            memory_add_child(memory, child);
    }
}

static int add_share(struct memory *memory, struct child *child, uint64_t arena_bytes)
{
    struct memory_share *share = calloc(1, sizeof(*share));

    if (share == NULL)
        return -ENOMEM;
    int error = memory_controller_add(&memory->controller, &share->source, MEMORY_OF_CHILD,
                                      arena_bytes, child);
    if (error < 0)
        free(share);
    else
        child->share = share;
    return error;
}

void memory_add_child(struct memory *memory, struct child *child)
{
    struct stat status;

    memory_stop_aging(memory, child);
    if (child->arena_fd < 0 || fstat(child->arena_fd, &status) < 0)
        return;
    int error = add_share(memory, child, (uint64_t)status.st_size);
    if (error < 0)
        log_warn_of(child->pid, "cannot track the age of the recordings of %d (%s): %s", child->pid,
                    child->executable, uv_strerror(error));
}

void memory_await(struct child *child)
{
    if (child->share == NULL || child->share->owes_update || child->connection == NULL)
        return;
    child->share->owes_update = true;
    outbox_empty(child->connection, MESSAGE_AWAIT_NEXT_CHUNK_MANAGER_UPDATE);
}

int memory_note_update(struct memory *memory, struct child *child, const uint8_t *payload,
                       size_t bytes)
{
    static struct message_chunk_manager_update message;
    int error = message_get_chunk_manager_update(payload, bytes, &message);

    if (error < 0)
        return error;
    if (child->share == NULL)
        return 0;
    child->share->owes_update = false;
    error = memory_controller_update(&memory->controller, &child->share->source, message.generation,
                                     &message.update, uv_hrtime());
    if (error == 0 && message.update.kind == CHUNK_UPDATE_FINAL)
        return 0; /* its next session begins with STARTED */
    if (error == 0)
        memory_schedule_decision(memory);
    memory_await(child);
    return 0;
}

void memory_note_disconnected(struct child *child)
{
    if (child->share != NULL)
        child->share->owes_update = false;
}

void memory_note_ended(struct memory *memory, uint64_t ended)
{
    if (memory->ledger.header != NULL)
        atomic_store(&memory->ledger.header->ended_count, (uint32_t)ended);
}

uint64_t memory_ended_count(const struct memory *memory)
{
    return memory->ledger.header != NULL ? atomic_load(&memory->ledger.header->ended_count) : 0;
}

void memory_stop_aging(struct memory *memory, struct child *child)
{
    if (child->share == NULL)
        return;
    memory_controller_remove(&memory->controller, &child->share->source);
    free(child->share);
    child->share = NULL;
}

void memory_forget_child(struct memory *memory, struct child *child)
{
    memory_stop_aging(memory, child);
    if (memory->ledger.header != NULL && child->lease_owner > LEASE_OWNER_EXITS)
        lease_move(&memory->ledger, child->lease_owner, LEASE_OWNER_NOBODY, UINT32_MAX);
    child->lease_owner = LEASE_OWNER_NOBODY;
}
