#include "profctl/profile/process_lives.h"

#include <math.h>
#include <stdlib.h>

struct process_life process_life_of(const struct process_log *log)
{
    bool goes_on = process_log_goes_on(log);

    return (struct process_life){
        .pid = log->pid,
        .code = log->code,
        .later_images = log->later_images,
        .goes_on = goes_on,
        .process_start_ms = log->process_start_ms,
        .first_ms = log->start_ms,
        .last_ms = log->end_ms,
        .charged_ms = process_log_charged_ms(log),
        .charged_before_ms = log->cpu_before_ms,
        .is_least_cpu = !goes_on && process_log_is_least(log),
    };
}

static int compare_lives(const void *left, const void *right)
{
    const struct process_life *a = left, *b = right;

    if (a->pid != b->pid)
        return a->pid < b->pid ? -1 : 1;
    return (a->later_images < b->later_images) - (a->later_images > b->later_images);
}

/* When LIFE began, which came after EARLIER in its process (NULL: it is the first one here). */
static double find_start_ms(const struct process_life *life, const struct process_life *earlier)
{
    double start_ms = earlier != NULL ? earlier->last_ms : life->process_start_ms;

    return start_ms < life->first_ms || isnan(life->first_ms) ? start_ms : life->first_ms;
}

/* What LIFE used, when its process had used USED_BEFORE_MS by others, or before the profile; below
 * 0: not known. */
static double find_cpu_ms(const struct process_life *life, double used_before_ms)
{
    double cpu_ms = life->charged_ms >= used_before_ms ? life->charged_ms - used_before_ms : -1;

    if (life->is_least_cpu && life->recorded_ms > 0 && life->recorded_ms > cpu_ms)
        return life->recorded_ms;
    return cpu_ms;
}

static void settle_life(struct process_life *life, const struct process_life *earlier,
                        double used_before_ms)
{
    double start_ms = find_start_ms(life, earlier);

    life->start_ms = isnan(start_ms) ? -1 : start_ms;
    life->wall_ms = life->last_ms >= start_ms ? life->last_ms - start_ms : -1;
    life->cpu_ms = find_cpu_ms(life, used_before_ms);
}

/* Where it is not known what the process had used when a program became the next, that one has what
 * both used. */
void process_lives_settle(struct process_life *lives, size_t count)
{
    double used_ms = 0;

    if (count > 0)
        qsort(lives, count, sizeof(*lives), compare_lives);
    for (size_t i = 0; i < count; i++) {
        bool is_next =
            i > 0 && lives[i].pid >= 0 && lives[i - 1].pid == lives[i].pid && lives[i - 1].goes_on;
        if (!is_next)
            used_ms = 0;
        if (lives[i].charged_before_ms > used_ms)
            used_ms = lives[i].charged_before_ms;
        settle_life(&lives[i], is_next ? &lives[i - 1] : NULL, used_ms);
        if (lives[i].charged_ms >= 0)
            used_ms = lives[i].charged_ms;
    }
}
