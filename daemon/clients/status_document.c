#include "daemon/clients/status_document.h"

#include <cjson/cJSON.h>
#include <unistd.h>

#include "daemon/census/census.h"
#include "daemon/children/child_table.h"
#include "daemon/clients/status_cost.h"
#include "daemon/clients/status_process.h"
#include "daemon/limit/memory.h"
#include "daemon/memory/exit_store.h"
#include "daemon/memory/lease_census.h"
#include "daemon/programs/command.h"
#include "daemon/programs/supervisor.h"
#include "daemon/session.h"
#include "daemon/triggers/triggers.h"
#include "json/document_print.h"

enum {
    /* For the list, in a document of at most MESSAGE_MAX_STATUS: the living come first. */
    LIST_BYTES = 400 * 1024,
};

static void add_features(cJSON *session, uint64_t features)
{
    static const struct {
        uint64_t bit;
        const char *name;
    } names[] = {
#define X(name, bit, text, help) { FEATURE_##name, text },
        FEATURES(X)
#undef X
    };
    cJSON *array = cJSON_AddArrayToObject(session, "features");

    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
        if (features & names[i].bit)
            cJSON_AddItemToArray(array, cJSON_CreateString(names[i].name));
    }
}

/* Whose it is. */
static void add_parts(cJSON *object, const struct session_parts *parts)
{
    cJSON *array = cJSON_AddArrayToObject(object, "sessions");

    for (unsigned i = 0; i < parts->count; i++) {
        const struct session_part *part = &parts->items[i];
        cJSON *item = cJSON_CreateObject();
        cJSON_AddItemToArray(array, item);
        cJSON_AddStringToObject(item, "owner", session_owner_name(part->owner.kind));
        if (part->owner.pid != 0)
            cJSON_AddNumberToObject(item, "pid", part->owner.pid);
        cJSON_AddNumberToObject(item, "elapsed_ms", status_milliseconds_since(part->since_ns));
        cJSON_AddNumberToObject(item, "interval_ns", (double)part->settings.interval_ns);
    }
}

static void add_session(cJSON *root, const struct session *session)
{
    cJSON *object = cJSON_AddObjectToObject(root, "session");

    cJSON_AddStringToObject(object, "state", session_state_name(session->state));
    cJSON_AddNumberToObject(object, "generation", session->generation);
    if (!session_is_on(session))
        return;
    cJSON_AddNumberToObject(object, "elapsed_ms", status_milliseconds_since(session->start_ns));
    cJSON_AddNumberToObject(object, "interval_ns", (double)session->settings.interval_ns);
    cJSON_AddStringToObject(object, "clock", sampling_clock_name(session->settings.clock));
    cJSON_AddNumberToObject(object, "memory_limit_bytes",
                            (double)session->settings.memory_limit_bytes);
    add_features(object, session->settings.features);
    cJSON_AddStringToObject(object, "threads", session->settings.thread_filters);
    cJSON_AddBoolToObject(object, "sampling_paused", session->is_sampling_paused);
    add_parts(object, &session->parts);
}

/* Which clocks the living processes have. */
static void add_clocks(cJSON *object, const struct child_table *table)
{
    struct clock_summary summary = { .count = 0 };
    cJSON *array = cJSON_AddArrayToObject(object, "clocks");

    for (const struct child *child = table->first; child != NULL; child = child->next)
        if (child->state != CHILD_ENDED)
            status_process_add_clock(child, &summary);
    clock_summary_sort(&summary);
    for (size_t i = 0; i < summary.count; i++) {
        const struct clock_group *group = &summary.groups[i];
        cJSON *item = cJSON_CreateObject();
        cJSON_AddItemToArray(array, item);
        cJSON_AddStringToObject(item, "clock", sampling_clock_name(group->clock));
        cJSON_AddNumberToObject(item, "processes", (double)group->processes);
        cJSON_AddNumberToObject(item, "shortest_interval_ns", (double)group->shortest_ns);
        cJSON_AddNumberToObject(item, "longest_interval_ns", (double)group->longest_ns);
        if (group->refusal != CLOCK_REFUSAL_NONE)
            cJSON_AddStringToObject(item, "refused", clock_refusal_text(group->refusal));
    }
}

/* Returns the bytes that it takes at most. */
static size_t add_child(cJSON *list, const struct child *child, const struct lease_census *census)
{
    size_t bytes;

    cJSON_AddItemToArray(list, status_process_make(child, census, &bytes));
    return bytes;
}

static cJSON *add_children(cJSON *root, const struct child_table *table,
                           const struct lease_census *census)
{
    cJSON *object = cJSON_AddObjectToObject(root, "processes");
    cJSON *list = cJSON_CreateArray();
    unsigned by_state[CHILD_ENDED + 1] = { 0 };
    size_t listed = 0, bytes = 0;

    for (int is_ended = 0; is_ended <= 1; is_ended++) {
        for (const struct child *child = table->first; child != NULL; child = child->next) {
            if ((child->state == CHILD_ENDED) != is_ended)
                continue;
            by_state[child->state]++;
            if (bytes < LIST_BYTES) {
                bytes += add_child(list, child, census);
                listed++;
            }
        }
    }
    cJSON_AddNumberToObject(object, "connected", by_state[CHILD_CONNECTED]);
    cJSON_AddNumberToObject(object, "detached", by_state[CHILD_DETACHED]);
    cJSON_AddNumberToObject(object, "ended", by_state[CHILD_ENDED]);
    cJSON_AddNumberToObject(object, "not_listed", (double)(table->count - listed));
    cJSON_AddItemToObject(object, "list", list);
    return object;
}

/* What the arenas of CHILD really take, as the kernel counts. */
static uint64_t kernel_bytes(const struct status_view *view)
{
    uint64_t bytes = exit_store_kernel_bytes(view->exits);

    for (const struct child *child = view->children->first; child != NULL; child = child->next)
        bytes += child_kernel_bytes(child);
    return bytes;
}

/* The one memory limit: what may be used, what was leased, what is said to be used, what is. */
static void add_memory(cJSON *root, const struct status_view *view)
{
    struct memory *memory = view->memory;
    cJSON *object = cJSON_AddObjectToObject(root, "memory");
    uint64_t leased = lease_ledger_recount(&memory->ledger, NULL);

    cJSON_AddNumberToObject(object, "limit_bytes",
                            (double)lease_ledger_limit_bytes(&memory->ledger));
    cJSON_AddNumberToObject(object, "leased_bytes", (double)(leased * LEASE_UNIT_BYTES));
    cJSON_AddNumberToObject(object, "accounted_bytes",
                            (double)memory_controller_total(&memory->controller));
    cJSON_AddNumberToObject(object, "kernel_bytes", (double)kernel_bytes(view));
}

static void add_exits(cJSON *root, const struct exit_store *exits)
{
    cJSON *object = cJSON_AddObjectToObject(root, "exit_profiles");

    cJSON_AddNumberToObject(object, "kept", exits->records);
    cJSON_AddNumberToObject(object, "bytes", (double)exits->memory_bytes);
    cJSON_AddNumberToObject(object, "expired", (double)exits->expired_records);
    cJSON_AddNumberToObject(object, "failed", (double)exits->failed_records);
}

/* What all processes of the session have produced, as far as they gave it back, and what was
 * dropped of it. */
static struct block_account account_of(const struct child_table *table)
{
    struct block_account sum = { 0 };

    for (const struct child *child = table->first; child != NULL; child = child->next)
        status_process_add_account(child, &sum);
    return sum;
}

static void add_account(cJSON *root, const struct block_account *account)
{
    cJSON *object = cJSON_AddObjectToObject(root, "account");

    cJSON_AddNumberToObject(object, "produced_blocks", (double)account->produced_blocks);
    cJSON_AddNumberToObject(object, "produced_bytes", (double)account->produced_bytes);
    cJSON_AddNumberToObject(object, "dropped_blocks", (double)account->dropped_blocks);
    cJSON_AddNumberToObject(object, "dropped_bytes", (double)account->dropped_bytes);
}

static void add_cost(cJSON *root, const struct status_view *view,
                     const struct block_account *account)
{
    const struct status_cost_view cost = { view->session, view->supervisor, account,
                                           view->start_ns };

    if (session_is_on(view->session))
        status_cost_add(root, &cost);
}

/* What triggers did. Nothing for a session without. */
static void add_triggers(cJSON *root, const struct triggers *triggers)
{
    if (triggers->set.count == 0)
        return;
    cJSON *object = cJSON_AddObjectToObject(root, "triggers");
    cJSON *armed = cJSON_AddArrayToObject(object, "armed");

    for (size_t i = 0; i < triggers->set.count; i++) {
        char text[TRIGGER_TEXT_BYTES];
        trigger_format(&triggers->set.triggers[i], text);
        cJSON_AddItemToArray(armed, cJSON_CreateString(text));
    }
    cJSON_AddNumberToObject(object, "written", (double)triggers->written);
    cJSON_AddNumberToObject(object, "failed", (double)triggers->failed);
    cJSON_AddNumberToObject(object, "waiting", (double)trigger_gate_waiting(&triggers->gate));
    cJSON_AddNumberToObject(object, "coalesced", (double)triggers->gate.joined);
    cJSON_AddNumberToObject(object, "lost", (double)triggers->gate.lost);
    cJSON_AddStringToObject(object, "last_file", triggers->last_file);
    cJSON_AddStringToObject(object, "last_error", triggers->last_error);
}

static void add_commands(cJSON *root, const struct supervisor *supervisor)
{
    cJSON *array = cJSON_AddArrayToObject(root, "commands");

    for (const struct command *command = supervisor->commands; command; command = command->next) {
        cJSON *object = cJSON_CreateObject();
        cJSON_AddNumberToObject(object, "pid", command->pid);
        cJSON_AddStringToObject(object, "command", command->name);
        cJSON_AddItemToArray(array, object);
    }
}

char *status_document_make(const struct status_view *view)
{
    cJSON *root = cJSON_CreateObject();
    struct lease_census census;

    if (lease_census_take(&view->memory->ledger, &census) < 0) {
        cJSON_Delete(root);
        return NULL;
    }
    cJSON_AddStringToObject(root, "version", PROFD_VERSION);
    cJSON_AddNumberToObject(root, "protocol", PROTOCOL_MAJOR);
    cJSON_AddNumberToObject(root, "protocol_minor", PROTOCOL_MINOR);
    cJSON_AddNumberToObject(root, "pid", getpid());
    cJSON_AddStringToObject(root, "socket", view->socket_path);
    cJSON_AddNumberToObject(root, "census_lost", (double)view->census->lost);
    cJSON_AddNumberToObject(root, "uptime_ms", status_milliseconds_since(view->start_ns));
    add_session(root, view->session);
    add_memory(root, view);
    cJSON *children = add_children(root, view->children, &census);
    if (session_is_on(view->session))
        add_clocks(children, view->children);
    add_exits(root, view->exits);
    struct block_account account = account_of(view->children);
    add_account(root, &account);
    add_cost(root, view, &account);
    add_triggers(root, view->triggers);
    add_commands(root, view->supervisor);
    lease_census_free(&census);
    char *text = document_print(root);
    cJSON_Delete(root);
    return text;
}
