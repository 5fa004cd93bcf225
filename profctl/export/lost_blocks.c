#include "profctl/export/lost_blocks.h"

#include <errno.h>
#include <math.h>
#include <stdbool.h>

#include "common/time_units.h"

/* How long a process is known that no capture has: it ended, or does not answer. */
#define REMEMBERED_NS (INT64_C(3600) * NS_PER_S)

struct known_losses {
    struct losing_process process;
    int64_t seen_ns; /* the end of the last range that had it */
};

void lost_blocks_free(struct lost_blocks *losses)
{
    mapped_array_free(&losses->known);
    mapped_array_free(&losses->next);
}

/* --- What a profile says --- */

int lost_blocks_note(const struct process_log *log, int64_t reference_ns,
                     struct mapped_array *processes)
{
    bool is_told = log->pid >= 0 && log->lost_blocks >= 0 &&
                   fabs(log->start_ms) < (double)INT64_MAX / NS_PER_MS / 4;
    struct losing_process *place = is_told ? mapped_array_push(processes, sizeof(*place)) : NULL;

    if (place != NULL)
        *place =
            (struct losing_process){ log->pid, reference_ns + llround(log->start_ms * NS_PER_MS),
                                     (uint64_t)log->lost_blocks };
    return is_told && place == NULL ? -ENOMEM : 0;
}

static bool is_before(const void *a, const void *b)
{
    const struct losing_process *left = a, *right = b;

    return left->pid < right->pid || (left->pid == right->pid && left->start_ns < right->start_ns);
}

/* --- A range --- */

static int note_losses(struct lost_blocks *losses, const struct losing_process *process,
                       int64_t seen_ns)
{
    struct known_losses *place = mapped_array_push(&losses->next, sizeof(*place));

    if (place == NULL)
        return -ENOMEM;
    *place = (struct known_losses){ *process, seen_ns };
    return 0;
}

/* Passes what is known of processes before PROCESS (NULL: of all) on to the next range, from *INDEX
 * on, which is then behind them. */
static int pass_on_known(struct lost_blocks *losses, const struct losing_process *process,
                         int64_t now_ns, size_t *index)
{
    const struct known_losses *known = losses->known.items;
    int error = 0;

    for (; *index < losses->known.count && error == 0; ++*index) {
        const struct known_losses *one = &known[*index];
        if (process != NULL && !is_before(&one->process, process))
            break;
        if (now_ns - one->seen_ns < REMEMBERED_NS)
            error = note_losses(losses, &one->process, one->seen_ns);
    }
    return error;
}

/* What is known of PROCESS, where all from INDEX on is of it or behind it; NULL: nothing. */
static const struct known_losses *known_of(const struct lost_blocks *losses,
                                           const struct losing_process *process, size_t index)
{
    const struct known_losses *known = losses->known.items;

    return index < losses->known.count && !is_before(process, &known[index].process) ? &known[index]
                                                                                     : NULL;
}

/* Of a process that is not known, what it lost before is not counted. */
static bool has_history(const struct losing_process *process, const struct rests_range *range)
{
    return process->start_ns < range->from_ns && range->session_ns < range->from_ns;
}

/* A process may be told to have lost less in the next range: what is under way when a capture is
 * made looks lost. What was counted stays known. */
static int settle_losses(struct lost_blocks *losses, const struct rests_range *range,
                         const struct losing_process *process, size_t *index, uint64_t *grown)
{
    struct losing_process settled = *process;
    int error = pass_on_known(losses, process, range->to_ns, index);
    const struct known_losses *known = known_of(losses, process, *index);
    uint64_t counted = known != NULL                 ? known->process.blocks
                       : has_history(process, range) ? process->blocks
                                                     : 0;

    if (known != NULL)
        ++*index;
    if (process->blocks > counted)
        *grown += process->blocks - counted;
    else
        settled.blocks = counted;
    return error < 0 ? error : note_losses(losses, &settled, range->to_ns);
}

int lost_blocks_settle(struct lost_blocks *losses, const struct rests_range *range,
                       struct mapped_array *processes, uint64_t *grown)
{
    const struct losing_process *all = processes->items;
    size_t index = 0;
    int error = 0;

    mapped_array_sort(processes, sizeof(*all), is_before);
    losses->next.count = 0;
    losses->next_session_ns = range->session_ns;
    if (losses->session_ns != range->session_ns)
        index = losses->known.count; /* accounts begin anew */
    *grown = 0;
    for (size_t i = 0; i < processes->count && error == 0; i++)
        error = settle_losses(losses, range, &all[i], &index, grown);
    return error < 0 ? error : pass_on_known(losses, NULL, range->to_ns, &index);
}

void lost_blocks_keep(struct lost_blocks *losses)
{
    struct mapped_array spare = losses->known;

    losses->known = losses->next;
    losses->next = spare;
    losses->session_ns = losses->next_session_ns;
}
