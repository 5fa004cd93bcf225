#include "buffer/lease_ledger.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "buffer/clock.h"

/* One unit in so many is kept for processes that start. */
enum { STARTUP_SHARE = 8 };

static uint64_t file_bytes(uint32_t units)
{
    return LEASE_LEDGER_UNITS_OFFSET + (uint64_t)units * sizeof(uint64_t);
}

static int map_ledger(int fd, uint32_t units, struct lease_ledger *out)
{
    size_t bytes = file_bytes(units);
    void *memory = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);

    if (memory == MAP_FAILED)
        return -errno;
    *out = (struct lease_ledger){
        .header = memory,
        .board = (struct session_board *)(void *)((uint8_t *)memory + LEASE_LEDGER_HEADER_BYTES),
        .ring = (struct census_ring *)(void *)((uint8_t *)memory + LEASE_LEDGER_RING_OFFSET),
        .owners = (_Atomic uint64_t *)(void *)((uint8_t *)memory + LEASE_LEDGER_UNITS_OFFSET),
        .mapped_units = units,
        .mapped_bytes = bytes,
        .fd = fd,
    };
    return 0;
}

/* On a full disk a page of the file that has no block of its own would be a SIGBUS for every
 * process that touches it, profiled programs included. */
static int reserve_blocks(int fd, uint32_t units)
{
    int failed;

    do {
        failed = fallocate(fd, 0, 0, (off_t)file_bytes(units));
    } while (failed != 0 && errno == EINTR);
    /* Where the file system cannot reserve, there is no more to be done. */
    return failed == 0 || errno == EOPNOTSUPP ? 0 : -errno;
}

int lease_ledger_create(int fd, uint64_t identity, uint64_t limit_bytes, struct lease_ledger *out)
{
    *out = (struct lease_ledger){ 0 };
    if (ftruncate(fd, (off_t)file_bytes(LEASE_LEDGER_MAX_UNITS)) < 0)
        return -errno;
    int error = map_ledger(fd, LEASE_LEDGER_MAX_UNITS, out);
    if (error == 0)
        error = lease_ledger_set_limit(out, limit_bytes);
    if (error < 0) {
        lease_ledger_close(out);
        return error;
    }
    out->header->version = LEASE_LEDGER_VERSION;
    out->header->identity = identity;
    /* Last, so that nobody takes an unfinished one for a ledger. */
    __atomic_store_n(&out->header->magic, LEASE_LEDGER_MAGIC, __ATOMIC_RELEASE);
    return 0;
}

/* Reads the header of the ledger in FD; -EPROTO when it is none. */
static int read_header(int fd, struct lease_ledger_header *header)
{
    struct stat status;

    if (fstat(fd, &status) < 0)
        return -errno;
    ssize_t got = pread(fd, header, sizeof(*header), 0);
    if (got < 0)
        return -errno;
    uint32_t units = atomic_load(&header->highest_count);
    if (got != (ssize_t)sizeof(*header) || header->magic != LEASE_LEDGER_MAGIC ||
        header->version != LEASE_LEDGER_VERSION || units < LEASE_LEDGER_MIN_UNITS ||
        units > LEASE_LEDGER_MAX_UNITS ||
        (uint64_t)status.st_size != file_bytes(LEASE_LEDGER_MAX_UNITS))
        return -EPROTO;
    return 0;
}

int lease_ledger_open(int fd, uint32_t most_units, struct lease_ledger *out)
{
    struct lease_ledger_header header;

    *out = (struct lease_ledger){ 0 };
    int error = read_header(fd, &header);
    if (error < 0)
        return error;
    uint32_t units = atomic_load(&header.highest_count);
    return map_ledger(fd, units < most_units ? units : most_units, out);
}

int lease_ledger_adopt(int fd, struct lease_ledger *out)
{
    struct lease_ledger_header header;

    *out = (struct lease_ledger){ 0 };
    int error = read_header(fd, &header);
    return error < 0 ? error : map_ledger(fd, LEASE_LEDGER_MAX_UNITS, out);
}

bool lease_ledger_is_in(const struct lease_ledger *ledger, int fd)
{
    struct lease_ledger_header header = { 0 };

    return read_header(fd, &header) == 0 && header.identity == ledger->header->identity;
}

bool lease_ledger_has_ended(const struct lease_ledger *ledger)
{
    const struct lease_ledger_header *header = ledger->header;
    uint64_t until_ns = atomic_load_explicit(&header->left_until_ns, memory_order_relaxed);

    return atomic_load(&header->is_over) != 0 || (until_ns != 0 && clock_monotonic_ns() > until_ns);
}

void lease_ledger_close(struct lease_ledger *ledger)
{
    if (ledger->header != NULL)
        munmap(ledger->header, ledger->mapped_bytes);
    *ledger = (struct lease_ledger){ 0 };
}

int lease_ledger_set_limit(struct lease_ledger *ledger, uint64_t limit_bytes)
{
    uint64_t units = limit_bytes / LEASE_UNIT_BYTES;

    if (units < LEASE_LEDGER_MIN_UNITS || units > ledger->mapped_units)
        return -EINVAL;
    int error = reserve_blocks(ledger->fd, (uint32_t)units);
    if (error < 0)
        return error;
    if (units > atomic_load(&ledger->header->highest_count))
        atomic_store(&ledger->header->highest_count, (uint32_t)units);
    atomic_store(&ledger->header->limit_count, (uint32_t)units);
    (void)lease_ledger_recount(ledger, NULL);
    return 0;
}

/* How many units may be taken, of those that are mapped. */
static uint32_t unit_count(const struct lease_ledger *ledger)
{
    uint32_t count = atomic_load_explicit(&ledger->header->unit_count, memory_order_relaxed);
    return count < ledger->mapped_units ? count : ledger->mapped_units;
}

/* Units from this one on never had an owner. */
static uint32_t highest_count(const struct lease_ledger *ledger)
{
    uint32_t count = atomic_load_explicit(&ledger->header->highest_count, memory_order_relaxed);
    return count < ledger->mapped_units ? count : ledger->mapped_units;
}

static uint32_t startup_count(const struct lease_ledger *ledger)
{
    uint32_t count = atomic_load_explicit(&ledger->header->startup_count, memory_order_relaxed);
    uint32_t all = unit_count(ledger);
    return count < all ? count : all;
}

uint64_t lease_ledger_limit_bytes(const struct lease_ledger *ledger)
{
    uint32_t count = atomic_load_explicit(&ledger->header->limit_count, memory_order_relaxed);
    return (uint64_t)count * LEASE_UNIT_BYTES;
}

static bool try_take_unit(struct lease_ledger *ledger, lease_owner owner, uint32_t unit)
{
    uint64_t nobody = LEASE_OWNER_NOBODY;
    return atomic_load_explicit(&ledger->owners[unit], memory_order_relaxed) == nobody &&
           atomic_compare_exchange_strong(&ledger->owners[unit], &nobody, owner);
}

static int take_to_start(struct lease_ledger *ledger, lease_owner owner, uint32_t *unit)
{
    uint32_t end = startup_count(ledger);

    for (uint32_t i = 0; i < end; i++) {
        if (try_take_unit(ledger, owner, i)) {
            *unit = i;
            return 0;
        }
    }
    return -ENOSPC;
}

static int take_to_grow(struct lease_ledger *ledger, lease_owner owner, uint32_t *unit)
{
    struct lease_ledger_header *header = ledger->header;
    uint32_t first = startup_count(ledger);
    uint32_t count = unit_count(ledger) - first;

    if (count == 0 || atomic_load_explicit(&header->maybe_free, memory_order_relaxed) == 0)
        return -ENOSPC;
    uint32_t start = atomic_load_explicit(&header->next, memory_order_relaxed) % count;
    for (uint32_t i = 0; i < count; i++) {
        uint32_t candidate = first + (start + i) % count;
        if (!try_take_unit(ledger, owner, candidate))
            continue;
        atomic_store_explicit(&header->next, candidate - first + 1, memory_order_relaxed);
        if (atomic_fetch_sub_explicit(&header->maybe_free, 1, memory_order_relaxed) == 0)
            atomic_store_explicit(&header->maybe_free, 0, memory_order_relaxed);
        *unit = candidate;
        return 0;
    }
    atomic_store_explicit(&header->maybe_free, 0, memory_order_relaxed);
    return -ENOSPC;
}

int lease_take(struct lease_ledger *ledger, lease_owner owner, enum lease_purpose purpose,
               uint32_t *unit)
{
    /* Growth units first: the front is for when there are no others. */
    int error = take_to_grow(ledger, owner, unit);
    return error < 0 && purpose == LEASE_TO_START ? take_to_start(ledger, owner, unit) : error;
}

void lease_give_back(struct lease_ledger *ledger, lease_owner owner, uint32_t unit)
{
    uint64_t expected = owner;

    if (unit >= ledger->mapped_units ||
        !atomic_compare_exchange_strong(&ledger->owners[unit], &expected, LEASE_OWNER_NOBODY))
        return;
    if (unit >= startup_count(ledger) && unit < unit_count(ledger))
        atomic_fetch_add_explicit(&ledger->header->maybe_free, 1, memory_order_relaxed);
}

uint32_t lease_count(const struct lease_ledger *ledger, lease_owner owner)
{
    uint32_t count = 0, end = highest_count(ledger);

    for (uint32_t i = 0; i < end; i++)
        count += atomic_load_explicit(&ledger->owners[i], memory_order_relaxed) == owner;
    return count;
}

uint32_t lease_move(struct lease_ledger *ledger, lease_owner from, lease_owner to, uint32_t count)
{
    uint32_t moved = 0, end = highest_count(ledger);

    for (uint32_t i = 0; i < end && moved < count; i++) {
        if (atomic_load_explicit(&ledger->owners[i], memory_order_relaxed) != from)
            continue;
        if (to == LEASE_OWNER_NOBODY)
            lease_give_back(ledger, from, i);
        else
            atomic_store_explicit(&ledger->owners[i], to, memory_order_release);
        moved++;
    }
    return moved;
}

static bool is_taken(const struct lease_ledger *ledger, uint32_t unit)
{
    return atomic_load_explicit(&ledger->owners[unit], memory_order_relaxed) != LEASE_OWNER_NOBODY;
}

/* The most units that may be taken from the front without passing the limit together with those
 * behind them that have owners. */
static uint32_t takeable_count(const struct lease_ledger *ledger)
{
    uint32_t limit = atomic_load_explicit(&ledger->header->limit_count, memory_order_relaxed);
    uint32_t count = highest_count(ledger), behind = 0;

    while (count > 0 && count + behind > limit)
        behind += is_taken(ledger, --count);
    return count;
}

uint32_t lease_ledger_recount(struct lease_ledger *ledger, uint32_t *growth_free)
{
    struct lease_ledger_header *header = ledger->header;
    uint32_t last = takeable_count(ledger), first = last / STARTUP_SHARE;
    uint32_t taken = 0, is_free = 0, end = highest_count(ledger);

    for (uint32_t i = 0; i < end; i++) {
        taken += is_taken(ledger, i);
        is_free += !is_taken(ledger, i) && i >= first && i < last;
    }
    atomic_store_explicit(&header->unit_count, last, memory_order_relaxed);
    atomic_store_explicit(&header->startup_count, first, memory_order_relaxed);
    atomic_store_explicit(&header->maybe_free, is_free, memory_order_relaxed);
    if (growth_free != NULL)
        *growth_free = is_free;
    return taken;
}

void lease_ledger_visit(const struct lease_ledger *ledger,
                        void (*visit)(lease_owner owner, uint32_t unit, void *context),
                        void *context)
{
    uint32_t end = highest_count(ledger);

    for (uint32_t i = 0; i < end; i++) {
        lease_owner owner = atomic_load_explicit(&ledger->owners[i], memory_order_relaxed);
        if (owner != LEASE_OWNER_NOBODY)
            visit(owner, i, context);
    }
}
