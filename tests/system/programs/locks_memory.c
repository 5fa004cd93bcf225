/* locks_memory: locks all its memory and burns. The status is 1 when it cannot, 2 when a page of it
 * was not filled, 3 when it got much more memory than it asked for. */
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/resource.h>

#include "tests/system/programs/burn.h"

enum { PAGE_BYTES = 4096, OWN_PAGES = 1024, MOST_KB = 128 * 1024 };

static char own[OWN_PAGES * PAGE_BYTES] __attribute__((aligned(PAGE_BYTES)));

static int is_filled(void *start)
{
    unsigned char pages[OWN_PAGES];
    if (mincore(start, sizeof(own), pages) != 0)
        return 0;
    for (int i = 0; i < OWN_PAGES; i++)
        if ((pages[i] & 1) == 0)
            return 0;
    return 1;
}

int main(void)
{
    struct rusage usage;
    if (mlockall(MCL_CURRENT | MCL_FUTURE) != 0)
        return 1;
    void *later =
        mmap(NULL, sizeof(own), PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (later == MAP_FAILED)
        return 1;
    if (!is_filled(own) || !is_filled(later))
        return 2;
    burn_outer(0.1);
    getrusage(RUSAGE_SELF, &usage);
    return usage.ru_maxrss > MOST_KB ? 3 : 0;
}
