/* Allocates and frees until it is killed. */
#include <stdlib.h>

static void *volatile sink;

int main(void)
{
    for (;;) {
        sink = malloc(3000);
        free(sink);
    }
}
