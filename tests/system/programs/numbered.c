/* numbered FILE: writes markers "number" with a running number as text, about one a millisecond, or
 * one in REST_MS, and the last number written into FILE, 8 bytes that everybody may map. Until it
 * is killed, or for numbered FILE COUNT, until it has written COUNT. */
#include <fcntl.h>
#include <profd.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#include "tests/system/programs/idle_thread.h"

static volatile uint64_t *map_number(const char *path)
{
    int fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0600);
    if (fd < 0 || ftruncate(fd, sizeof(uint64_t)) < 0)
        return NULL;
    void *memory = mmap(NULL, sizeof(uint64_t), PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    close(fd);
    return memory == MAP_FAILED ? NULL : memory;
}

int main(int argc, char **argv)
{
    const char *rest_ms = getenv("REST_MS");
    const struct timespec rest = { .tv_nsec = (rest_ms != NULL ? atol(rest_ms) : 1) * 1000000 };
    volatile uint64_t *number = argc > 1 ? map_number(argv[1]) : NULL;
    uint64_t last = argc > 2 ? strtoull(argv[2], NULL, 10) : UINT64_MAX;
    char text[24];

    if (number == NULL || idle_thread_if_wanted() != 0)
        return 1;
    for (uint64_t next = 1; next <= last; next++) {
        snprintf(text, sizeof(text), "%llu", (unsigned long long)next);
        PROFD_MARKER_TEXT("number", PROFD_CATEGORY_OTHER, text);
        *number = next;
        nanosleep(&rest, NULL);
    }
    return 0;
}
