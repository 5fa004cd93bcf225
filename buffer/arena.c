#include "buffer/arena.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "buffer/file_range.h"

/* How many chunks behind OFFSET fit a file within the process's limit, at most WANTED. Growing a
 * file past the limit raises SIGXFSZ, which ends the program; so it must not be tried. */
static uint64_t chunks_within_file_limit(uint64_t wanted, uint64_t offset)
{
    struct rlimit limit;
    if (getrlimit(RLIMIT_FSIZE, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY)
        return wanted;
    if (limit.rlim_cur < offset)
        return 0;
    uint64_t fitting = (limit.rlim_cur - offset) / CHUNK_BYTES;
    return fitting < wanted ? fitting : wanted;
}

static int create_sealed_file(uint64_t total_bytes, struct arena *out)
{
    struct stat status;
    out->fd = memfd_create("profd-arena", MFD_CLOEXEC | MFD_ALLOW_SEALING);
    if (out->fd < 0 || ftruncate(out->fd, (off_t)total_bytes) != 0 ||
        fcntl(out->fd, F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL) != 0 ||
        fstat(out->fd, &status) != 0)
        return -errno;
    out->device = status.st_dev;
    out->inode = status.st_ino;
    return 0;
}

/* Mapped without access first: in a program that called mlockall(MCL_FUTURE) the kernel would fill
 * every accessible page at once, and could not take one back from a locked mapping. */
static int map_file(uint64_t total_bytes, struct arena *out)
{
    void *memory = mmap(NULL, total_bytes, PROT_NONE, MAP_SHARED | MAP_NORESERVE, out->fd, 0);
    if (memory == MAP_FAILED)
        return -errno;
    out->header = memory;
    out->dictionary = (uint8_t *)memory + ARENA_HEADER_BYTES;
    out->chunks = out->dictionary + out->dictionary_bytes;
    out->mapped_bytes = total_bytes;
    if (munlock(memory, total_bytes) != 0 ||
        mprotect(memory, total_bytes, PROT_READ | PROT_WRITE) != 0 ||
        madvise(memory, total_bytes, MADV_DONTFORK) != 0 ||
        madvise(memory, total_bytes, MADV_DONTDUMP) != 0)
        return -errno;
    return 0;
}

static void fill_header(struct arena *arena, uint32_t chunk_count, uint64_t group_bytes)
{
    struct arena_header *header = arena->header;
    header->version = ARENA_VERSION;
    header->chunk_bytes = CHUNK_BYTES;
    header->total_bytes = arena->mapped_bytes;
    header->dictionary_offset = ARENA_HEADER_BYTES;
    header->dictionary_bytes = arena->dictionary_bytes;
    header->chunks_offset = ARENA_HEADER_BYTES + (uint64_t)arena->dictionary_bytes;
    header->chunk_count = chunk_count;
    header->groups.offset = header->chunks_offset + (uint64_t)chunk_count * CHUNK_BYTES;
    header->groups.room_bytes = group_bytes;
    header->process_id = getpid();
    header->parent_process_id = getppid();
    header->ticks_are_tsc = clock_is_tsc();
    header->first_pair = clock_read_pair();
    header->process_start_ns = header->first_pair.monotonic_ns;
    arena_update_clock(arena);
    /* Last, so that a reader takes nothing unfinished for an arena. */
    __atomic_store_n(&header->magic, ARENA_MAGIC, __ATOMIC_RELEASE);
}

static int take_unit(struct arena *arena, enum lease_purpose purpose, uint32_t *unit)
{
    struct arena_lease *lease = &arena->lease;

    *unit = 0;
    if (lease->ledger == NULL)
        return 0;
    int error = lease_take(lease->ledger, lease->owner, purpose, unit);
    if (error == 0)
        atomic_fetch_add_explicit(&lease->units, 1, memory_order_relaxed);
    return error;
}

int arena_take_unit(struct arena *arena, uint32_t *unit)
{
    uint32_t held = atomic_load_explicit(&arena->lease.units, memory_order_relaxed);

    return take_unit(arena, held < LEASE_STARTUP_UNITS ? LEASE_TO_START : LEASE_TO_GROW, unit);
}

void arena_give_back_unit(struct arena *arena, uint32_t unit)
{
    struct arena_lease *lease = &arena->lease;

    if (lease->ledger == NULL)
        return;
    lease_give_back(lease->ledger, lease->owner, unit);
    atomic_fetch_sub_explicit(&lease->units, 1, memory_order_relaxed);
}

void arena_forget_unit(struct arena *arena)
{
    if (arena->lease.ledger != NULL)
        atomic_fetch_sub_explicit(&arena->lease.units, 1, memory_order_relaxed);
}

int arena_lease_dictionary(struct arena *arena, uint64_t bytes)
{
    uint64_t needed = (ARENA_HEADER_BYTES + bytes + LEASE_UNIT_BYTES - 1) / LEASE_UNIT_BYTES;

    while (arena->lease.front_units < needed) {
        uint32_t unit; /* never given back as long as the arena is there */
        bool is_sure = arena->lease.front_units < ARENA_SURE_FRONT_UNITS;
        int error = take_unit(arena, is_sure ? LEASE_TO_START : LEASE_TO_GROW, &unit);
        if (error < 0)
            return error;
        arena->lease.front_units++;
    }
    return 0;
}

int arena_lease_groups(struct arena *arena, uint64_t bytes)
{
    struct arena_lease *lease = &arena->lease;
    uint64_t needed = (bytes + LEASE_UNIT_BYTES - 1) / LEASE_UNIT_BYTES;
    uint64_t limit = lease->ledger != NULL ? lease_ledger_limit_bytes(lease->ledger) : UINT64_MAX;

    if (needed * LEASE_UNIT_BYTES > limit / GROUP_TABLE_LIMIT_SHARE)
        return -ENOSPC;
    while (atomic_load(&lease->group_units) < needed) {
        uint32_t unit; /* never given back as long as the arena is there */
        int error = arena_take_unit(arena, &unit);
        if (error < 0)
            return error;
        atomic_fetch_add(&lease->group_units, 1);
    }
    return 0;
}

int arena_create(uint64_t capacity_bytes, struct arena *out)
{
    const struct arena_room room = { capacity_bytes, ARENA_DICTIONARY_BYTES, 0 };

    return arena_create_leased(&room, NULL, LEASE_OWNER_NOBODY, out);
}

static uint32_t whole_pages(uint32_t bytes)
{
    return bytes / ARENA_PAGE_BYTES * ARENA_PAGE_BYTES;
}

static bool is_room_possible(const struct arena_room *room)
{
    uint64_t chunks = room->chunk_bytes / CHUNK_BYTES;

    return chunks != 0 && chunks <= ARENA_MAX_CHUNKS && whole_pages(room->dictionary_bytes) != 0 &&
           room->dictionary_bytes <= ARENA_DICTIONARY_BYTES &&
           room->group_bytes <= GROUP_TABLE_BYTES;
}

int arena_create_leased(const struct arena_room *room, struct lease_ledger *ledger,
                        lease_owner owner, struct arena *out)
{
    *out = (struct arena){ .dictionary_bytes = whole_pages(room->dictionary_bytes),
                           .fd = -1,
                           .lease = { .ledger = ledger, .owner = owner } };
    if (!is_room_possible(room))
        return -EINVAL;
    uint64_t chunks_offset = ARENA_HEADER_BYTES + (uint64_t)out->dictionary_bytes;
    uint64_t group_bytes = whole_pages(room->group_bytes);
    uint64_t chunk_count =
        chunks_within_file_limit(room->chunk_bytes / CHUNK_BYTES, chunks_offset + group_bytes);
    if (chunk_count == 0)
        return -EFBIG;

    clock_initialize();
    uint64_t total_bytes = chunks_offset + chunk_count * CHUNK_BYTES + group_bytes;
    int error = create_sealed_file(total_bytes, out);
    if (error == 0)
        error = map_file(total_bytes, out);
    if (error == 0)
        error = arena_lease_dictionary(out, 0);
    if (error != 0) {
        arena_destroy(out);
        return error;
    }
    fill_header(out, (uint32_t)chunk_count, group_bytes);
    return 0;
}

static int copy_front(const struct arena *arena, int fd)
{
    uint32_t used = atomic_load(&arena->header->dictionary_used_bytes);
    if (used > arena->dictionary_bytes)
        used = arena->dictionary_bytes;
    int error = file_range_write(fd, arena->header, ARENA_HEADER_BYTES, 0);
    return error < 0 ? error : file_range_write(fd, arena->dictionary, used, ARENA_HEADER_BYTES);
}

static int copy_groups(const struct arena *arena, int fd)
{
    const struct group_table_header *table = &arena->header->groups;
    uint64_t used = atomic_load(&table->used_bytes);
    return file_range_write(fd, (const uint8_t *)arena->header + table->offset, used,
                            table->offset);
}

/* What is copied goes back to the kernel at once, so nothing is there twice; where it refuses, the
 * mapping lets it go in the end. A chunk that profd is destroying is nobody's. */
static int move_chunk(const struct arena *arena, int fd, uint32_t slot)
{
    struct chunk *chunk = arena_chunk(arena, slot);
    uint64_t offset = (uint64_t)((const uint8_t *)chunk - (const uint8_t *)arena->header);
    int error = 0;
    if (chunk_has_memory(chunk))
        error = file_range_write(fd, chunk, CHUNK_HEADER_BYTES + chunk_used_bytes(chunk), offset);
    if (error == 0)
        (void)madvise(chunk, CHUNK_BYTES, MADV_REMOVE);
    return error;
}

/* The chunks come last: once one has been moved, the rest follows or is lost. */
static int move_arena(const struct arena *arena, int fd)
{
    uint64_t slots = atomic_load(&arena->header->chunk_high_water);
    if (slots > arena->header->chunk_count)
        slots = arena->header->chunk_count;
    int error = copy_front(arena, fd);
    if (error == 0)
        error = copy_groups(arena, fd);
    for (uint32_t slot = 0; slot < slots && error == 0; slot++)
        error = move_chunk(arena, fd, slot);
    /* Once more: groups are measured meanwhile. Their memory is there by now. */
    return error == 0 ? copy_groups(arena, fd) : error;
}

static bool is_within_file_limit(const struct arena *arena)
{
    return chunks_within_file_limit(1, arena->mapped_bytes - CHUNK_BYTES) == 1;
}

/* The old mapping is replaced in one step, when all else has succeeded. */
static int map_instead(struct arena *arena, struct arena *other)
{
    void *place = arena->header;
    other->dictionary_bytes = arena->dictionary_bytes;
    int error = map_file(arena->mapped_bytes, other);
    if (error == 0)
        error = move_arena(arena, other->fd);
    if (error == 0 && mremap(other->header, arena->mapped_bytes, arena->mapped_bytes,
                             MREMAP_MAYMOVE | MREMAP_FIXED, place) == MAP_FAILED)
        error = -errno;
    if (error < 0 && other->header != NULL)
        munmap(other->header, arena->mapped_bytes);
    return error;
}

int arena_replace_file(struct arena *arena)
{
    struct arena other = { .fd = -1 };
    int error =
        is_within_file_limit(arena) ? create_sealed_file(arena->mapped_bytes, &other) : -EFBIG;
    if (error == 0)
        error = map_instead(arena, &other);
    if (error < 0) {
        if (other.fd >= 0)
            close(other.fd);
        return error;
    }
    arena->fd = other.fd;
    arena->device = other.device;
    arena->inode = other.inode;
    return 0;
}

bool arena_owns_fd(const struct arena *arena)
{
    struct stat status;
    return arena->fd >= 0 && fstat(arena->fd, &status) == 0 && status.st_dev == arena->device &&
           status.st_ino == arena->inode;
}

void arena_abandon(struct arena *arena)
{
    if (arena_owns_fd(arena))
        close(arena->fd);
    *arena = (struct arena){ .fd = -1 };
}

void arena_destroy(struct arena *arena)
{
    if (arena->header != NULL)
        munmap(arena->header, arena->mapped_bytes);
    arena_abandon(arena);
}

void arena_discard(struct arena *arena)
{
    struct lease_ledger *ledger = arena->lease.ledger;
    lease_owner owner = arena->lease.owner;
    uint32_t units = atomic_load(&arena->lease.units);
    arena_destroy(arena);
    if (ledger != NULL)
        (void)lease_move(ledger, owner, LEASE_OWNER_NOBODY, units);
}

void arena_begin_account(struct arena *arena)
{
    struct arena_header *header = arena->header;
    atomic_store(&header->produced_blocks, 0);
    atomic_store(&header->produced_bytes, 0);
    for (int cause = 0; cause < DROP_CAUSE_COUNT; cause++) {
        if (!drop_cause_counts_blocks((enum drop_cause)cause))
            continue;
        atomic_store(&header->drops[cause], 0);
        atomic_store(&header->drop_bytes[cause], 0);
    }
}

void arena_update_clock(struct arena *arena)
{
    struct arena_header *header = arena->header;
    struct clock_pair now = clock_read_pair();
    uint32_t sequence = atomic_load_explicit(&header->latest_sequence, memory_order_relaxed);
    /* Another thread that is at it writes what is as good. */
    if (sequence % 2 != 0 ||
        !atomic_compare_exchange_strong_explicit(&header->latest_sequence, &sequence, sequence + 1,
                                                 memory_order_acquire, memory_order_relaxed))
        return;
    atomic_store_explicit(&header->latest_ticks, now.ticks, memory_order_release);
    atomic_store_explicit(&header->latest_monotonic_ns, now.monotonic_ns, memory_order_release);
    atomic_store_explicit(&header->latest_sequence, sequence + 2, memory_order_release);
}

int arena_file_set_process(int fd, int32_t process_id, int32_t parent_process_id)
{
    const int32_t ids[] = { process_id, parent_process_id };
    _Static_assert(offsetof(struct arena_header, parent_process_id) ==
                       offsetof(struct arena_header, process_id) + sizeof(int32_t),
                   "one behind the other");
    ssize_t written = pwrite(fd, ids, sizeof(ids), offsetof(struct arena_header, process_id));
    if (written < 0)
        return -errno;
    return written == sizeof(ids) ? 0 : -EIO;
}
