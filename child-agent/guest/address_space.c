#include "child-agent/guest/address_space.h"

#include <sys/resource.h>

enum {
    OUR_PART = 10, /* one in so many addresses */
    PERCENT = 100,
    /* The library, the ledger's front, rules and lists of modules, which are as large in every
     * process. */
    FIXED_BYTES = 3584 * 1024,
    LEAST_SHARED_BYTES = 1024 * 1024,
};

static uint64_t shared_bytes(uint64_t limit_bytes)
{
    uint64_t ours = limit_bytes / OUR_PART;
    return ours >= FIXED_BYTES + LEAST_SHARED_BYTES ? ours - FIXED_BYTES : 0;
}

uint64_t address_space_share_of(uint64_t limit_bytes, enum address_use use)
{
    static const uint8_t percents[] = {
#define X(name, percent) [ADDRESSES_##name] = (percent),
        ADDRESS_USES(X)
#undef X
    };
    return shared_bytes(limit_bytes) / PERCENT * percents[use];
}

static bool get_limit(uint64_t *bytes)
{
    struct rlimit limit;
    if (getrlimit(RLIMIT_AS, &limit) < 0 || limit.rlim_cur == RLIM_INFINITY)
        return false;
    *bytes = limit.rlim_cur;
    return true;
}

uint64_t address_space_within(enum address_use use, uint64_t usual_bytes)
{
    uint64_t limit_bytes;
    if (!get_limit(&limit_bytes))
        return usual_bytes;
    uint64_t share = address_space_share_of(limit_bytes, use);
    return share < usual_bytes ? share : usual_bytes;
}

bool address_space_is_enough(void)
{
    uint64_t limit_bytes;
    return !get_limit(&limit_bytes) || shared_bytes(limit_bytes) != 0;
}
