#include "profctl/processed/lane_walk.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

void lane_walk_init(struct lane_walk *walk, size_t apart)
{
    *walk = (struct lane_walk){ .choice.apart = apart, .shutdown_ms = NAN };
}

void lane_walk_free(struct lane_walk *walk)
{
    lane_choice_free(&walk->choice);
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

void lane_walk_end_process(struct lane_walk *walk)
{
    walk->place = LANE_WALK_UNKNOWN;
    walk->shutdown_ms = NAN;
}
