#include "json/failure_latch.h"

int failure_latch_set(struct failure_latch *latch, int error)
{
    int kept = 0;
    if (error == 0)
        return failure_latch_error(latch);
    if (atomic_compare_exchange_strong(&latch->error, &kept, error))
        return error;
    return kept;
}
