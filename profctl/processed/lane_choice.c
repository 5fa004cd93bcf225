#include "profctl/processed/lane_choice.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "profctl/units.h"

static struct lane_slot *all_slots(const struct lane_choice *choice)
{
    return choice->slots.items;
}

static struct lane_track *all_tracks(const struct lane_slot *slot)
{
    return slot->tracks.items;
}

const struct lane_slot *lane_choice_at(const struct lane_choice *choice, uint32_t lane)
{
    return all_slots(choice) + lane;
}

const struct lane_track *lane_track_at(const struct lane_slot *slot, uint32_t index)
{
    return all_tracks(slot) + index;
}

static void free_slot(struct lane_slot *slot)
{
    for (size_t i = 0; i < slot->tracks.count; i++)
        free(all_tracks(slot)[i].name);
    mapped_array_free(&slot->tracks);
    free(slot->program);
}

void lane_choice_free(struct lane_choice *choice)
{
    for (size_t i = 0; i < choice->slots.count; i++)
        free_slot(&all_slots(choice)[i]);
    mapped_array_free(&choice->slots);
}

/* The one that was left last, so that few lanes suffice; NULL: none is free at START_MS. */
static struct lane_slot *free_slot_of(const struct lane_choice *choice, const char *program,
                                      double start_ms)
{
    struct lane_slot *best = NULL;

    for (size_t i = 0; i < choice->slots.count; i++) {
        struct lane_slot *slot = &all_slots(choice)[i];
        if (slot->until_ms <= start_ms && (best == NULL || slot->until_ms > best->until_ms) &&
            strcmp(slot->program, program) == 0)
            best = slot;
    }
    return best;
}

static struct lane_slot *new_slot(struct lane_choice *choice, const char *program, double pid)
{
    char *owned = strdup(program);
    struct lane_slot *slot =
        owned != NULL ? mapped_array_push(&choice->slots, sizeof(*slot)) : NULL;

    if (slot == NULL) {
        free(owned);
        return NULL;
    }
    *slot = (struct lane_slot){ .program = owned, .pid = pid };
    return slot;
}

int lane_choice_enter(struct lane_choice *choice, const struct profile_thread *thread,
                      double end_ms, uint32_t *lane)
{
    const char *program = thread->process_name != NULL ? thread->process_name : "";

    if (!(end_ms >= thread->register_ms))
        return 0;
    if (choice->apart > 0) {
        choice->apart--;
        return 0;
    }
    struct lane_slot *slot = free_slot_of(choice, program, thread->register_ms);
    if (slot == NULL)
        slot = new_slot(choice, program, thread->pid);
    if (slot == NULL)
        return -ENOMEM;
    slot->processes++;
    slot->last_pid = thread->pid;
    slot->since_ms = thread->register_ms;
    slot->until_ms = end_ms;
    *lane = (uint32_t)(slot - all_slots(choice));
    return 1;
}

static bool is_named(const struct lane_track *track, const char *name)
{
    return track->name == NULL || name == NULL ? track->name == name
                                               : strcmp(track->name, name) == 0;
}

/* The lane's track that its last process has no thread on yet; NULL: none. */
static struct lane_track *free_track_of(const struct lane_slot *slot, const char *name)
{
    for (size_t i = 0; i < slot->tracks.count; i++) {
        struct lane_track *track = &all_tracks(slot)[i];
        if (track->process != slot->processes && is_named(track, name))
            return track;
    }
    return NULL;
}

static struct lane_track *new_track(struct lane_slot *slot, const struct profile_thread *thread)
{
    char *name = thread->name != NULL ? strdup(thread->name) : NULL;
    struct lane_track *track = NULL;

    if (name != NULL || thread->name == NULL)
        track = mapped_array_push(&slot->tracks, sizeof(*track));
    if (track == NULL) {
        free(name);
        return NULL;
    }
    *track = (struct lane_track){ .name = name, .tid = thread->tid };
    return track;
}

static double last_time_ms(const struct profile_thread *thread)
{
    size_t count = thread->sample_count;

    return count > 0 ? thread->samples[count - 1].time_ms : -INFINITY;
}

int lane_choice_add_thread(struct lane_choice *choice, uint32_t lane,
                           const struct profile_thread *thread, uint32_t *track)
{
    struct lane_slot *slot = &all_slots(choice)[lane];
    struct lane_track *place = free_track_of(slot, thread->name);

    if (place == NULL)
        place = new_track(slot, thread);
    if (place == NULL)
        return -ENOMEM;
    place->process = slot->processes;
    slot->until_ms = fmax(slot->until_ms, last_time_ms(thread));
    *track = (uint32_t)(place - all_tracks(slot));
    return 0;
}

void lane_slot_name(const struct lane_slot *slot, char *buffer, size_t bytes)
{
    char count[UNITS_TEXT_BYTES];

    if (slot->processes == 1)
        snprintf(buffer, bytes, "%s", slot->program);
    else
        snprintf(buffer, bytes, "%.200s (%s processes)", slot->program,
                 units_format_count(slot->processes, count));
}
