/* A spool in a folder of its own. */
#ifndef TESTS_UNIT_SPOOL_SCENE_H
#define TESTS_UNIT_SPOOL_SCENE_H

#include <check.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "profctl/export/spool.h"

enum { LIMIT_BYTES = 1 << 20 };

static char folder[64];
static struct failure failure;

static void make_folder(void)
{
    strcpy(folder, "/tmp/profd-test.XXXXXX");
    ck_assert_ptr_nonnull(mkdtemp(folder));
}

static void remove_folder(void)
{
    char command[128];

    snprintf(command, sizeof(command), "rm -rf %s", folder);
    ck_assert_int_eq(system(command), 0);
}

static struct spool *open_spool(uint64_t limit_bytes)
{
    struct spool *spool = NULL;

    ck_assert_msg(spool_open(folder, limit_bytes, &spool, &failure), "%s", failure.text);
    return spool;
}

static inline int add_batch(struct spool *spool, enum export_kind kind, uint64_t id,
                            const char *text)
{
    struct export_batch batch = {
        .kind = kind, .id = id, .rows = 10, .first_minute_s = 60, .last_minute_s = 120
    };

    ck_assert_int_eq(export_batch_pack(&batch, text, strlen(text)), 0);
    int error = spool_add(spool, &batch);
    export_batch_free(&batch);
    return error;
}

/* The id of the oldest; 0: there is none. */
static inline uint64_t first_id(struct spool *spool)
{
    struct export_batch batch = { 0 };
    int error = spool_first(spool, &batch);

    export_batch_free(&batch);
    ck_assert(error == 0 || error == -ENOENT);
    return error == 0 ? batch.id : 0;
}

#endif
