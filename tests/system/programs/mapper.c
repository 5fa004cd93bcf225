/* mapper: maps and unmaps what tests know the bytes of: it has 60 MB more of anonymous memory at
 * the end, after 8008 calls that changed any, and the child that it forks has 55 after 2 more.
 * Fails if a call does not do what it does without hooks. */
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

enum { THREADS = 4, ROUNDS = 1000 };
static const size_t MB = 1024 * 1024;

static void require_fact(int is_true, const char *what)
{
    if (is_true)
        return;
    fprintf(stderr, "mapper: %s\n", what);
    exit(1);
}

static char *map_range(void *place, size_t bytes, int flags)
{
    char *mapped =
        mmap(place, bytes, PROT_READ | PROT_WRITE, flags | MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    require_fact(mapped != MAP_FAILED, "mmap failed");
    mapped[bytes - 1] = 1;
    return mapped;
}

static void unmap_range(void *start, size_t bytes)
{
    require_fact(munmap(start, bytes) == 0, "munmap failed");
}

/* 45 MB in 4 calls that count. */
static char *cut_and_cover(int file)
{
    char *start = map_range(NULL, 64 * MB, 0);
    unmap_range(start + 8 * MB, 16 * MB);
    unmap_range(start + 8 * MB, 16 * MB); /* not there any more */
    map_range(start, 2 * MB, MAP_FIXED);
    require_fact(mmap(start + 32 * MB, 3 * MB, PROT_READ, MAP_PRIVATE | MAP_FIXED, file, 0) ==
                     start + 32 * MB,
                 "no file over it");
    unmap_range(start + 33 * MB, MB); /* of the file */
    return start;
}

/* 9 MB in 3 calls. */
static void grow_and_shrink(void)
{
    char *start = map_range(NULL, 8 * MB, 0);
    start = mremap(start, 8 * MB, 12 * MB, MREMAP_MAYMOVE);
    require_fact(start != MAP_FAILED && start[8 * MB - 1] == 1, "did not grow");
    require_fact(mremap(start, 12 * MB, 9 * MB, 0) == start, "did not shrink");
}

/* 2 MB in 3 calls. */
static void move_the_break(void)
{
    char *before = sbrk((intptr_t)(4 * MB));
    require_fact(before != (void *)-1 && sbrk(0) == before + 4 * MB, "the break did not move");
    require_fact(sbrk(-(intptr_t)MB) == before + 4 * MB, "the break did not move back");
    require_fact(brk(before + 2 * MB) == 0 && sbrk(0) == before + 2 * MB, "brk did not move it");
}

static void fail_as_ever(int file)
{
    errno = 0;
    require_fact(mmap(NULL, SIZE_MAX / 2, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0) ==
                         MAP_FAILED &&
                     errno == ENOMEM,
                 "mapped more than there is");
    require_fact(munmap((void *)1, MB) < 0 && errno == EINVAL, "unmapped an odd address");
    errno = ERANGE;
    void *mapped = mmap(NULL, MB, PROT_READ, MAP_PRIVATE, file, 0);
    unmap_range(mapped, MB);
    unmap_range(map_range(NULL, MB, 0), MB); /* 2 calls */
    require_fact(mapped != MAP_FAILED && errno == ERANGE, "errno is not what it was");
}

/* 1 MB each, in two calls for each round, one of which is not made in the last. */
static void *map_much(void *argument)
{
    for (int i = 0; i < ROUNDS - 1; i++)
        unmap_range(map_range(NULL, MB, 0), MB);
    map_range(NULL, MB, 0);
    return argument;
}

static void map_in_threads(void)
{
    pthread_t threads[THREADS];
    for (int i = 0; i < THREADS; i++)
        require_fact(pthread_create(&threads[i], NULL, map_much, NULL) == 0, "no thread");
    for (int i = 0; i < THREADS; i++)
        pthread_join(threads[i], NULL);
}

/* It has what its parent has, less 8 MB, more 3 MB, by two calls. */
static void fork_child(char *start)
{
    int status;
    pid_t child = fork();
    if (child == 0) {
        unmap_range(start, 8 * MB);
        map_range(NULL, 3 * MB, 0);
        exit(0);
    }
    require_fact(waitpid(child, &status, 0) == child && status == 0, "the child failed");
}

int main(void)
{
    int file = open("/proc/self/exe", O_RDONLY | O_CLOEXEC);
    char *start = cut_and_cover(file);
    grow_and_shrink();
    move_the_break();
    fail_as_ever(file);
    map_in_threads();
    fork_child(start);
    puts("done");
    return 0;
}
