#include "profctl/processed/lane_walk.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

void lane_walk_init(struct lane_walk *walk, size_t apart)
{
    *walk = (struct lane_walk){ .choice.apart = apart, .shutdown_ms = NAN };
    failure_latch_init(&walk->latch);
    unique_strings_init(&walk->pids, &walk->latch);
}

void lane_walk_free(struct lane_walk *walk)
{
    lane_choice_free(&walk->choice);
    unique_strings_fini(&walk->pids);
    mapped_array_free(&walk->earlier);
}

/* JSON as a number; NAN: it is none. */
static double number_of(const char *json, size_t length)
{
    char text[32];

    if (length == 0 || length >= sizeof(text) || json[0] == 'n')
        return NAN;
    memcpy(text, json, length);
    text[length] = '\0';
    return strtod(text, NULL);
}

void lane_walk_take_meta(struct lane_walk *walk, const char *name, const char *json, size_t length)
{
    if (strcmp(name, "shutdownTime") == 0)
        walk->shutdown_ms = number_of(json, length);
}

int lane_walk_take_thread(struct lane_walk *walk, const struct profile_thread *thread)
{
    if (thread->is_of_root)
        return 0;
    if (walk->place == LANE_WALK_UNKNOWN) {
        int in_lane = lane_choice_enter(&walk->choice, thread, walk->shutdown_ms + thread->shift_ms,
                                        &walk->lane);
        if (in_lane < 0)
            return in_lane;
        walk->place = in_lane > 0 ? LANE_WALK_IN_LANE : LANE_WALK_APART;
    }
    return walk->place == LANE_WALK_IN_LANE;
}

const struct lane_slot *lane_walk_slot(const struct lane_walk *walk)
{
    return walk->place == LANE_WALK_IN_LANE ? lane_choice_at(&walk->choice, walk->lane) : NULL;
}

double lane_walk_cpu_ms(const struct lane_walk *walk, const struct process_log *log)
{
    struct process_life lives[2] = { process_life_of(log) };
    uint32_t index = unique_strings_find(&walk->pids, (const char *)&log->pid, sizeof(log->pid));
    const struct process_life *earlier =
        index != UNIQUE_NONE ? (const struct process_life *)walk->earlier.items + index : NULL;

    if (earlier == NULL || earlier->later_images <= log->later_images) {
        process_lives_settle(lives, 1);
        return lives[0].cpu_ms;
    }
    lives[1] = lives[0];
    lives[0] = *earlier;
    process_lives_settle(lives, 2);
    return lives[1].cpu_ms;
}

static int note_life(struct lane_walk *walk, const struct process_log *log)
{
    const struct process_life life = process_life_of(log);

    if (!life.goes_on || life.pid < 0)
        return 0;
    uint32_t index = unique_strings_add(&walk->pids, (const char *)&life.pid, sizeof(life.pid));
    if (index == UNIQUE_NONE ||
        mapped_array_reserve(&walk->earlier, (size_t)index + 1, sizeof(life)) < 0)
        return -ENOMEM;
    ((struct process_life *)walk->earlier.items)[index] = life;
    return 0;
}

int lane_walk_end_process(struct lane_walk *walk, const struct process_log *log)
{
    walk->place = LANE_WALK_UNKNOWN;
    walk->shutdown_ms = NAN;
    return note_life(walk, log);
}
