#include "daemon/clients/status_process.h"

#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <uv.h>

#include "common/time_units.h"
#include "daemon/agents/agents.h"
#include "daemon/children/child_table.h"
#include "daemon/limit/memory.h"
#include "daemon/memory/arena_facts.h"
#include "daemon/memory/exit_store.h"
#include "daemon/memory/lease_census.h"

enum {
    PROCESS_BYTES = 720,      /* without its names and what it dropped */
    DROP_BYTES = 80,          /* for a cause */
    LONGEST_ESCAPE_BYTES = 6, /* of one character of a name */
    MAX_EXECUTABLE = 256,
    BLOCK_BYTES = 512,
};

double status_milliseconds_since(uint64_t since_ns)
{
    uint64_t now_ns = uv_hrtime();
    uint64_t whole_ms = since_ns < now_ns ? (now_ns - since_ns) / NS_PER_MS : 0;
    return (double)whole_ms;
}

uint64_t child_kernel_bytes(const struct child *child)
{
    struct stat status;

    if (child->arena_fd < 0 || fstat(child->arena_fd, &status) < 0)
        return 0;
    return (uint64_t)status.st_blocks * BLOCK_BYTES;
}

/* What the arena of CHILD, wherever it is, says of itself. */
static int read_facts(const struct child *child, struct arena_facts *facts)
{
    if (child->exit != NULL)
        return arena_facts_read(exit_store_fd(child->agents->exits), child->exit->offset, facts);
    return arena_facts_read(child->arena_fd, 0, facts);
}

/* Returns how many causes there are. */
static size_t add_drops(cJSON *object, const struct arena_facts *facts)
{
    static const char *const names[] = {
#define X(name, number, text) [DROP_##name] = text,
        DROP_CAUSES(X)
#undef X
    };
    cJSON *drops = cJSON_AddObjectToObject(object, "drops");
    size_t causes = 0;

    for (int cause = 0; cause < DROP_CAUSE_COUNT; cause++) {
        if (facts->drops[cause] == 0)
            continue;
        causes++;
        cJSON *drop = cJSON_AddObjectToObject(drops, names[cause]);
        cJSON_AddNumberToObject(drop, "count", (double)facts->drops[cause]);
        if (drop_cause_counts_blocks((enum drop_cause)cause))
            cJSON_AddNumberToObject(drop, "bytes", (double)facts->drop_bytes[cause]);
    }
    return causes;
}

/* Whose chunks are aged for CHILD; NULL: nobody's. */
static const struct memory_source *source_of(const struct child *child)
{
    if (child->exit != NULL)
        return &child->exit->source;
    return child->share != NULL ? &child->share->source : NULL;
}

/* The moment at which the oldest chunk that can be dropped was done; without one nothing is older
 * than the process. */
static uint64_t oldest_ns(const struct child *child)
{
    const struct memory_source *source = source_of(child);
    uint64_t done_ns = source != NULL && source->is_added && source->chunks.count > 0
                           ? chunk_ages_at(&source->chunks, 0)->done_ns
                           : 0;
    return done_ns != 0 ? done_ns : child->start_ns;
}

static uint64_t released_bytes(const struct child *child)
{
    const struct memory_source *source = source_of(child);
    uint64_t bytes = 0;

    for (uint32_t i = 0; source != NULL && source->is_added && i < source->chunks.count; i++)
        bytes += chunk_ages_at(&source->chunks, i)->bytes;
    return bytes;
}

/* What is kept of CHILD, by kind. */
static void add_bytes(cJSON *object, const struct child *child, const struct arena_facts *facts)
{
    bool is_kept = child->exit != NULL;
    uint64_t recorded = is_kept ? child->exit->memory_bytes : child_kernel_bytes(child);
    uint64_t released = released_bytes(child);
    uint64_t rest = recorded > released ? recorded - released : 0;
    uint64_t dictionary = facts->dictionary_bytes < rest ? facts->dictionary_bytes : rest;

    cJSON_AddNumberToObject(object, "recorded_bytes", (double)recorded);
    cJSON_AddNumberToObject(object, "dictionary_bytes", (double)dictionary);
    cJSON_AddNumberToObject(object, "released_bytes", (double)released);
    cJSON_AddNumberToObject(object, "unreleased_bytes", (double)(rest - dictionary));
}

static void add_clock(cJSON *object, const struct arena_facts *facts)
{
    if (facts->sampling_clock == SAMPLING_CLOCK_AUTO)
        return;
    cJSON_AddStringToObject(object, "clock", sampling_clock_name(facts->sampling_clock));
    cJSON_AddNumberToObject(object, "clock_interval_ns", (double)facts->sampling_interval_ns);
    if (facts->sampling_clock_refusal != CLOCK_REFUSAL_NONE)
        cJSON_AddStringToObject(object, "clock_refused",
                                clock_refusal_text(facts->sampling_clock_refusal));
}

/* Returns how many causes of drops are shown. */
static size_t add_recording(cJSON *object, const struct child *child,
                            const struct lease_census *census)
{
    struct arena_facts facts;

    if (read_facts(child, &facts) < 0)
        return 0;
    add_bytes(object, child, &facts);
    cJSON_AddNumberToObject(object, "oldest_ms", status_milliseconds_since(oldest_ns(child)));
    size_t causes = add_drops(object, &facts);
    add_clock(object, &facts);
    if (child->state == CHILD_ENDED)
        return causes;
    cJSON_AddNumberToObject(object, "threads", facts.threads);
    cJSON_AddNumberToObject(object, "lease_bytes",
                            (double)lease_census_units(census, child->lease_owner) *
                                LEASE_UNIT_BYTES);
    cJSON_AddNumberToObject(object, "tick_lateness_us", (double)facts.tick_lateness_ns / NS_PER_US);
    cJSON_AddNumberToObject(object, "most_tick_lateness_us",
                            (double)facts.most_tick_lateness_ns / NS_PER_US);
    return causes;
}

cJSON *status_process_make(const struct child *child, const struct lease_census *census,
                           size_t *most_bytes)
{
    cJSON *object = cJSON_CreateObject();
    char executable[MAX_EXECUTABLE + 1];
    const char *title =
        child->title.text != NULL ? child->title.text : ""; /* of ARENA_TITLE_BYTES at most */
    size_t causes = 0;

    snprintf(executable, sizeof(executable), "%s", child->executable);
    cJSON_AddNumberToObject(object, "pid", child->pid);
    cJSON_AddNumberToObject(object, "image", child->image);
    cJSON_AddNumberToObject(object, "parent_pid", child->parent_pid);
    cJSON_AddStringToObject(object, "executable", executable);
    cJSON_AddStringToObject(object, "state", child_state_name(child->state));
    cJSON_AddStringToObject(object, "verdict", process_verdict_name(child->verdict));
    cJSON_AddNumberToObject(object, "code", child->code);
    if (child->cpu.used_ns != CPU_TIME_UNKNOWN)
        cJSON_AddNumberToObject(object, "cpu_ms", (double)child->cpu.used_ns / 1e6);
    cJSON_AddNumberToObject(object, "age_ms", status_milliseconds_since(child->start_ns));
    if (child->arena_fd >= 0 || child->exit != NULL)
        causes = add_recording(object, child, census);
    else if (child->obstacle != OBSTACLE_NONE)
        cJSON_AddStringToObject(object, "obstacle", recording_obstacle_text(child->obstacle));
    if (child->kept == CHILD_KEPT_EXPIRED)
        cJSON_AddTrueToObject(object, "has_expired");
    if (title[0] != '\0')
        cJSON_AddStringToObject(object, "title", title);
    if (child->dormancy != CHILD_AWAKE)
        cJSON_AddTrueToObject(object, "is_dormant");
    *most_bytes = PROCESS_BYTES + (strlen(executable) + strlen(title)) * LONGEST_ESCAPE_BYTES +
                  causes * DROP_BYTES;
    return object;
}

void status_process_add_account(const struct child *child, struct block_account *sum)
{
    struct arena_facts facts;

    if (child->kept == CHILD_KEPT_EXPIRED)
        block_account_add(sum, &child->expired);
    else if ((child->arena_fd >= 0 || child->exit != NULL) && read_facts(child, &facts) == 0)
        block_account_add(sum, &facts.account);
}

void status_process_add_clock(const struct child *child, struct clock_summary *summary)
{
    struct arena_facts facts;

    if ((child->arena_fd < 0 && child->exit == NULL) || read_facts(child, &facts) < 0)
        return;
    clock_summary_add(summary, &(struct clock_group){
                                   .clock = facts.sampling_clock,
                                   .refusal = facts.sampling_clock_refusal,
                                   .processes = 1,
                                   .shortest_ns = facts.sampling_interval_ns,
                                   .longest_ns = facts.sampling_interval_ns,
                               });
}
