/* Closes every descriptor it did not open, as daemons do, then uses the numbers for files of its
 * own. The status is 1 when somebody else wrote into one of them. */
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tests/system/programs/burn.h"

enum { FILES = 64 };

int main(void)
{
    int files[FILES];
    burn_outer(0.1);
    if (close_range(3, ~0U, 0) < 0)
        return 2;
    for (int i = 0; i < FILES; i++) {
        char name[32];
        snprintf(name, sizeof(name), "own-%d", i);
        files[i] = open(name, O_RDWR | O_CREAT | O_TRUNC, 0600);
        if (files[i] < 0 || (i == 0 && files[i] != 3))
            return 2;
    }
    burn_outer(0.4);
    for (int i = 0; i < FILES; i++) {
        struct stat status;
        if (fstat(files[i], &status) < 0 || status.st_size != 0)
            return 1;
    }
    return 0;
}
