/* Has an interval marker "request" of 60 ms once there is a session; argument "stay": goes on
 * afterwards, until its parent has gone or asks for the end with a file named so. */
#include <profd.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

static void rest_ms(long milliseconds)
{
    const struct timespec time = { milliseconds / 1000, milliseconds % 1000 * 1000000 };
    (void)nanosleep(&time, NULL);
}

int main(int argc, char **argv)
{
    uint64_t start;

    while ((start = PROFD_NOW()) == 0)
        rest_ms(10);
    rest_ms(60);
    PROFD_MARKER_INTERVAL("request", PROFD_CATEGORY_NETWORK, start, "it took a while");
    while (argc > 1 && strcmp(argv[1], "stay") == 0 && access("end", F_OK) < 0 &&
           access(".", F_OK) == 0 && getppid() != 1)
        rest_ms(50);
    return 0;
}
