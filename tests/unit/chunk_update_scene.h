/* Who listens to what a manager of chunks tells. */
#ifndef TESTS_UNIT_CHUNK_UPDATE_SCENE_H
#define TESTS_UNIT_CHUNK_UPDATE_SCENE_H

#include "tests/unit/chunk_scene.h"

static struct chunk_update last_update, folded;
static unsigned update_count;

static void remember_update(const struct chunk_update *update, void *context)
{
    ck_assert_ptr_eq(context, &last_update);
    last_update = *update;
    update_count++;
    ck_assert_int_eq(chunk_update_fold(&folded, update), 0);
}

static void listen_to_updates(void)
{
    update_count = 0;
    folded.kind = CHUNK_UPDATE_NONE;
    chunk_manager_set_update_callback(manager, remember_update, &last_update);
}

#endif
