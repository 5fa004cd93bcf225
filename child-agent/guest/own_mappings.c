/* The agent's own calls of mmap and its kin, in all that it consists of: the linker leads them here
 * (--wrap), past everybody's hooks. The program did not map that memory. */
#include <stdarg.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

void *__wrap_mmap(void *start, size_t bytes, int protection, int flags, int fd, off_t offset);
int __wrap_munmap(void *start, size_t bytes);
void *__wrap_mremap(void *start, size_t old_bytes, size_t bytes, int flags, ...);

void *__wrap_mmap(void *start, size_t bytes, int protection, int flags, int fd, off_t offset)
{
    return (void *)syscall(SYS_mmap, start, bytes, protection, flags, fd, offset);
}

int __wrap_munmap(void *start, size_t bytes)
{
    return (int)syscall(SYS_munmap, start, bytes);
}

void *__wrap_mremap(void *start, size_t old_bytes, size_t bytes, int flags, ...)
{
    void *place = NULL;
    if (flags & MREMAP_FIXED) {
        va_list rest;
        va_start(rest, flags);
        place = va_arg(rest, void *);
        va_end(rest);
    }
    return (void *)syscall(SYS_mremap, start, old_bytes, bytes, flags, place);
}
