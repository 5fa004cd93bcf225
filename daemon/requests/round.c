#include "daemon/requests/round.h"

#include <assert.h>
#include <search.h>
#include <stdint.h>
#include <stdio.h>

#include "daemon/children/child_table.h"
#include "daemon/log.h"

enum { CHILDREN_NAMED = 5 };

static int compare_addresses(const void *one, const void *other)
{
    return ((uintptr_t)one > (uintptr_t)other) - ((uintptr_t)one < (uintptr_t)other);
}

static bool is_awaited(const struct round *round, const struct child *child)
{
    return tfind(child, &round->awaited, compare_addresses) != NULL;
}

static void await_nobody(struct round *round)
{
    while (round->awaited != NULL)
        tdelete(*(const struct child **)round->awaited, &round->awaited, compare_addresses);
    round->missing = 0;
}

/* "no answer from PID (NAME), …" for people; empty when all answered. */
static void name_silent_children(const struct round *round, char *out, size_t capacity)
{
    unsigned named = 0;
    size_t used = 0;

    out[0] = '\0';
    for (const struct child *child = round->children->first; child != NULL; child = child->next) {
        if (!is_awaited(round, child))
            continue;
        if (named++ == CHILDREN_NAMED)
            break;
        int length = snprintf(out + used, capacity - used, "%s%d (%.60s)",
                              used == 0 ? "no answer from " : ", ", child->pid, child->executable);
        if (length < 0 || (size_t)length >= capacity - used)
            return;
        used += (size_t)length;
    }
    if (round->missing > CHILDREN_NAMED)
        snprintf(out + used, capacity - used, " and %u more", round->missing - CHILDREN_NAMED);
}

static void end_round(struct round *round)
{
    char silent[ROUND_TEXT_BYTES];

    uv_timer_stop(&round->deadline);
    name_silent_children(round, silent, sizeof(silent));
    await_nobody(round);
    round->events->on_over(silent, round->context);
}

static void on_deadline(uv_timer_t *timer)
{
    end_round(timer->data);
}

static void await_answer(struct round *round, const struct child *child)
{
    if (tsearch(child, &round->awaited, compare_addresses) != NULL)
        round->missing++;
    else
        log_warn_of(child->pid, "out of memory: not waiting for the answer of %d (%s)", child->pid,
                    child->executable);
}

void round_begin(struct round *round)
{
    assert(round->awaited == NULL);
    for (struct child *child = round->children->first; child != NULL; child = child->next) {
        if (child->connection != NULL && round->events->send(child, round->context) >= 0)
            await_answer(round, child);
    }
    if (round->missing == 0)
        end_round(round);
    else
        uv_timer_start(&round->deadline, on_deadline, ROUND_DEADLINE_MS, 0);
}

void round_count_off(struct round *round, const struct child *child)
{
    if (!is_awaited(round, child))
        return;
    tdelete(child, &round->awaited, compare_addresses);
    if (--round->missing == 0)
        end_round(round);
}

int round_init(struct round *round, uv_loop_t *loop, const struct child_table *children,
               const struct round_events *events, void *context)
{
    round->children = children;
    round->events = events;
    round->context = context;
    int error = uv_timer_init(loop, &round->deadline);
    round->deadline.data = round;
    return error;
}

void round_close(struct round *round)
{
    await_nobody(round);
    uv_close((uv_handle_t *)&round->deadline, NULL);
}
