/* eater: takes memory until it is killed. */
#include <stdlib.h>
#include <string.h>

__attribute__((noinline)) static void eat(size_t bytes)
{
    char *memory = malloc(bytes);

    if (memory != NULL)
        memset(memory, 1, bytes);
}

int main(void)
{
    for (;;)
        eat(64 * 1024);
}
