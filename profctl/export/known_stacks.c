#include "profctl/export/known_stacks.h"

#include <time.h>

#include "profctl/export/export_rows.h"

enum { MONTHS_OF_A_YEAR = 12 };

void known_stacks_init(struct known_stacks *known)
{
    *known = (struct known_stacks){ 0 };
    failure_latch_init(&known->latch);
    unique_strings_init(&known->hashes, &known->latch);
}

void known_stacks_fini(struct known_stacks *known)
{
    unique_strings_fini(&known->hashes);
}

void known_stacks_forget(struct known_stacks *known)
{
    int month = known->month;

    known_stacks_fini(known);
    known_stacks_init(known);
    known->month = month;
}

void known_stacks_enter_minute(struct known_stacks *known, uint32_t minute_s)
{
    time_t seconds = minute_s;
    struct tm date;
    int month = gmtime_r(&seconds, &date) != NULL ? date.tm_year * MONTHS_OF_A_YEAR + date.tm_mon
                                                  : known->month;

    if (month != known->month || unique_strings_count(&known->hashes) >= KNOWN_STACKS_MAX)
        known_stacks_forget(known);
    known->month = month;
}

/* Without memory every stack is new. */
bool known_stacks_add(struct known_stacks *known, const char *hash)
{
    uint32_t count = unique_strings_count(&known->hashes);

    return unique_strings_add(&known->hashes, hash, STACK_HASH_BYTES) >= count;
}
