/* Works for a while, then dies of SIGSEGV. */
#include <stddef.h>

#include "tests/system/programs/burn.h"

static __attribute__((noinline)) void before_crash(void)
{
    burn_outer(0.2);
    burn_sink++;
}

int main(void)
{
    volatile int *volatile nowhere = NULL;
    before_crash();
    *nowhere = 1;
    return 0;
}
