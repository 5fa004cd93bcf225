#include "daemon/memory/arena_facts.h"

#include <errno.h>
#include <unistd.h>

#include "buffer/arena.h"

int arena_facts_read(int fd, uint64_t offset, struct arena_facts *out)
{
    struct arena_header header;
    ssize_t got = pread(fd, &header, sizeof(header), (off_t)offset);

    *out = (struct arena_facts){ 0 };
    if (got < 0)
        return -errno;
    if (got != (ssize_t)sizeof(header) || header.magic != ARENA_MAGIC)
        return -EPROTO;
    out->threads = atomic_load(&header.live_threads);
    out->dictionary_bytes = atomic_load(&header.dictionary_used_bytes);
    out->tick_lateness_ns = atomic_load(&header.tick_lateness_ns);
    out->most_tick_lateness_ns = atomic_load(&header.most_tick_lateness_ns);
    out->sampling_clock = sampling_clock_checked(atomic_load(&header.sampling_clock));
    out->sampling_clock_refusal =
        clock_refusal_checked(atomic_load(&header.sampling_clock_refusal));
    out->sampling_interval_ns =
        sampling_interval_checked(atomic_load(&header.sampling_interval_ns));
    block_account_of(&header, &out->account);
    for (int cause = 0; cause < DROP_CAUSE_COUNT; cause++) {
        out->drops[cause] = atomic_load(&header.drops[cause]);
        out->drop_bytes[cause] = atomic_load(&header.drop_bytes[cause]);
    }
    return 0;
}
