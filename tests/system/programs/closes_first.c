/* closes_first PATH: closes every descriptor before it does anything else, as daemons do, makes the
 * file PATH and stays until it is killed. The status is 1 when a number of its own was taken. */
#include <fcntl.h>
#include <unistd.h>

int main(int argc, char **argv)
{
    if (close_range(3, ~0U, 0) < 0 || argc < 2)
        return 2;
    if (open(argv[1], O_WRONLY | O_CREAT | O_TRUNC, 0600) != 3)
        return 1;
    for (;;)
        pause();
}
