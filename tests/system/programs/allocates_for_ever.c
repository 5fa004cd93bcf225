/* Allocates and frees until it is killed, and waits for a moment now and then. */
#include <stdlib.h>
#include <unistd.h>

enum { ROUNDS = 1000, REST_US = 1000 };

static void *volatile sink;

int main(void)
{
    for (;;) {
        for (int i = 0; i < ROUNDS; i++) {
            sink = malloc(3000);
            free(sink);
        }
        usleep(REST_US);
    }
}
