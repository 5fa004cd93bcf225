#include "child-agent/guest/address_space.h"

#include <sys/resource.h>

enum {
    OUR_PART = 10, /* one in so many bytes */
    PERCENT = 100,
    LEAST_SHARED_BYTES = 1024 * 1024,
};

/* What is as large in every process: the library, and the ledger's front, rules and lists of
 * modules. */
static const struct {
    int resource;
    uint64_t fixed_bytes;
} limits[ADDRESS_LIMIT_COUNT] = {
    [LIMIT_OF_ADDRESSES] = { RLIMIT_AS, 3584 * 1024 },
    [LIMIT_OF_DATA] = { RLIMIT_DATA, 2304 * 1024 },
};

enum use_kind { SHARED, PRIVATE };

static const struct {
    uint8_t percent;
    enum use_kind kind;
} uses[] = {
#define X(name, percent, kind) [ADDRESSES_##name] = { (percent), (kind) },
    ADDRESS_USES(X)
#undef X
};

static uint64_t shared_bytes(enum address_limit limit, uint64_t limit_bytes)
{
    uint64_t ours = limit_bytes / OUR_PART, fixed = limits[limit].fixed_bytes;
    return ours >= fixed + LEAST_SHARED_BYTES ? ours - fixed : 0;
}

uint64_t address_space_share_of(enum address_limit limit, uint64_t limit_bytes,
                                enum address_use use)
{
    if (limit == LIMIT_OF_DATA && uses[use].kind == SHARED)
        return UINT64_MAX;
    return shared_bytes(limit, limit_bytes) / PERCENT * uses[use].percent;
}

static bool get_limit(enum address_limit limit, uint64_t *bytes)
{
    struct rlimit set;
    if (getrlimit(limits[limit].resource, &set) < 0 || set.rlim_cur == RLIM_INFINITY)
        return false;
    *bytes = set.rlim_cur;
    return true;
}

uint64_t address_space_within(enum address_use use, uint64_t usual_bytes)
{
    uint64_t bytes = usual_bytes, limit_bytes;
    for (enum address_limit limit = 0; limit < ADDRESS_LIMIT_COUNT; limit++) {
        if (!get_limit(limit, &limit_bytes))
            continue;
        uint64_t share = address_space_share_of(limit, limit_bytes, use);
        bytes = share < bytes ? share : bytes;
    }
    return bytes;
}

bool address_space_is_enough(void)
{
    uint64_t limit_bytes;
    for (enum address_limit limit = 0; limit < ADDRESS_LIMIT_COUNT; limit++)
        if (get_limit(limit, &limit_bytes) && shared_bytes(limit, limit_bytes) == 0)
            return false;
    return true;
}
