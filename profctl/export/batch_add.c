#include "profctl/export/batch_add.h"

#include <errno.h>
#include <string.h>
#include <sys/random.h>

uint64_t batch_random_id(void)
{
    uint64_t number = 0;

    while (getrandom(&number, sizeof(number), 0) < 0 && errno == EINTR)
        continue;
    return number;
}

static int copy_body(struct export_batch *batch, const struct batch_body *body)
{
    int error = mapped_array_reserve(&batch->bytes, body->count + 1, 1);

    if (error < 0)
        return error;
    memcpy(batch->bytes.items, body->bytes, body->count);
    batch->bytes.count = body->count;
    return 0;
}

int batch_add(struct export_batch *batch, const struct batch_body *body, struct spool *spool)
{
    int error = body->error;

    if (error == 0)
        error = body->is_packed ? copy_body(batch, body)
                                : export_batch_pack(batch, body->bytes, body->count);
    if (error == 0)
        error = spool_add(spool, batch);
    else
        spool_count_loss(spool, batch);
    export_batch_free(batch);
    if (error < 0)
        say("cannot keep %s: %s; they are lost", body->what, strerror(-error));
    return error;
}
