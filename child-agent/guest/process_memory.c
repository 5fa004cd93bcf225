#include "child-agent/guest/process_memory.h"

#include <errno.h>
#include <fcntl.h>
#include <link.h>
#include <stdatomic.h>
#include <string.h>
#include <sys/uio.h>
#include <unistd.h>

#include "common/apart.h"

enum { MOST_RANGES = 2048, PAGE_BYTES = 4096 };

/* What is mapped of a library that stays, or what the loader knows of it. */
struct range {
    uint64_t start, end;
};

static struct {
    _Atomic bool is_direct;
    bool is_refused;
    size_t first_libraries;
    size_t count;
} memory;

static LARGE_APART struct range ranges[MOST_RANGES];

static __thread bool may_open;

void process_memory_allow_descriptors(void)
{
    may_open = true;
}

static ssize_t read_by_call(uint64_t address, void *out, size_t bytes)
{
    struct iovec local = { out, bytes };
    struct iovec remote = { (void *)(uintptr_t)address, bytes }; /* NOLINT: maybe of nothing */
    /* Of the thread: the process has none once its main thread has ended. */
    return process_vm_readv(gettid(), &local, 1, &remote, 1, 0);
}

/* For kernels and containers that refuse process_vm_readv. */
static int read_from_proc(uint64_t address, void *out, size_t bytes)
{
    if (!may_open)
        return -EPERM;
    int fd = open("/proc/thread-self/mem", O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        return -errno;
    ssize_t got = pread(fd, out, bytes, (off_t)address);
    close(fd);
    return got == (ssize_t)bytes ? 0 : -EFAULT;
}

static int count_library(struct dl_phdr_info *library, size_t bytes, void *unused)
{
    (void)library;
    (void)bytes;
    (void)unused;
    memory.first_libraries++;
    return 0;
}

static void add_range(uint64_t start, uint64_t end)
{
    if (memory.count < MOST_RANGES)
        ranges[memory.count++] = (struct range){ start, end };
}

/* The loader lists those that come later behind the first ones. */
static int add_segments(struct dl_phdr_info *library, size_t bytes, void *seen)
{
    size_t *count = seen;
    (void)bytes;
    if ((*count)++ >= memory.first_libraries)
        return 1;
    for (int i = 0; i < library->dlpi_phnum; i++) {
        const ElfW(Phdr) *segment = &library->dlpi_phdr[i];
        uint64_t start = library->dlpi_addr + segment->p_vaddr;
        if (segment->p_type == PT_LOAD && (segment->p_flags & PF_R))
            add_range(start, start + segment->p_filesz);
    }
    return 0;
}

/* The loader's own words about them, which stay as long. Names are read up to the ends of pages. */
static void add_loaders_list(void)
{
    const struct link_map *loaded = _r_debug.r_map;
    for (size_t i = 0; i < memory.first_libraries && loaded != NULL; i++, loaded = loaded->l_next) {
        uint64_t at = (uint64_t)(uintptr_t)loaded, name = (uint64_t)(uintptr_t)loaded->l_name;
        add_range(at, at + sizeof(*loaded));
        if (name != 0)
            add_range(name, ((name + strlen(loaded->l_name)) | (PAGE_BYTES - 1)) + 1);
    }
}

static void add_ranges(void)
{
    size_t seen = 0;
    memory.count = 0;
    (void)dl_iterate_phdr(add_segments, &seen);
    add_loaders_list();
}

void process_memory_note_first_libraries(void)
{
    uint8_t byte;
    memory.first_libraries = 0;
    (void)dl_iterate_phdr(count_library, NULL);
    memory.is_refused = read_by_call((uint64_t)(uintptr_t)&memory, &byte, sizeof(byte)) < 0 &&
                        (errno == EPERM || errno == ENOSYS);
    if (memory.is_refused)
        add_ranges();
}

bool process_memory_is_refused(void)
{
    return memory.is_refused;
}

void process_memory_read_directly(void)
{
    if (!memory.is_refused) /* else they are known already, and in use */
        add_ranges();
    atomic_store(&memory.is_direct, true);
}

bool process_memory_is_read_directly(void)
{
    return atomic_load_explicit(&memory.is_direct, memory_order_acquire);
}

static int read_directly(uint64_t address, void *out, size_t bytes)
{
    for (size_t i = 0; i < memory.count; i++) {
        const struct range *range = &ranges[i];
        if (address < range->start || address >= range->end || range->end - address < bytes)
            continue;
        memcpy(out, (const void *)(uintptr_t)address, bytes); /* NOLINT: of a library */
        return 0;
    }
    return -EPERM;
}

int process_memory_read(uint64_t address, void *out, size_t bytes)
{
    if (process_memory_is_read_directly())
        return read_directly(address, out, bytes);
    if (memory.is_refused)
        return read_directly(address, out, bytes) == 0 ? 0 : read_from_proc(address, out, bytes);
    ssize_t got = read_by_call(address, out, bytes);
    if (got == (ssize_t)bytes)
        return 0;
    if (got < 0 && (errno == EPERM || errno == ENOSYS))
        return read_from_proc(address, out, bytes);
    return -EFAULT;
}

bool process_memory_read_argument(const void *argument, void *out, size_t bytes)
{
    int saved_errno = errno;
    int error = process_memory_read((uint64_t)(uintptr_t)argument, out, bytes);
    errno = saved_errno;
    return error == 0;
}
