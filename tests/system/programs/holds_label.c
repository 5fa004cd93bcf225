/* holds_label FILE [WORD BEGUN]: works below a label and a marker each millisecond of its own,
 * until it is killed. FILE is made when the label is pushed. With more words it waits for the file
 * BEGUN first, in naps, and works for a hundredth of that time; then a child does the work if WORD
 * is "fork". */
#include <fcntl.h>
#include <profd.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "tests/system/programs/burn.h"
#include "tests/system/programs/idle_thread.h"

/* About 100 us. */
static void work_a_little(void)
{
    for (volatile int i = 0; i < 50000; i++)
        continue;
}

static void nap_until(const char *path)
{
    static const struct timespec nap = { .tv_nsec = 10 * 1000 * 1000 };
    while (access(path, F_OK) != 0) {
        (void)clock_nanosleep(CLOCK_MONOTONIC, 0, &nap, NULL);
        work_a_little();
    }
}

static void rest_for_ever(void)
{
    for (;;)
        pause();
}

int main(int argc, char **argv)
{
    if ((argc != 2 && argc != 4) || idle_thread_if_wanted() != 0)
        return 1;
    PROFD_LABEL_PUSH("held label", PROFD_CATEGORY_COMPUTE);
    close(open(argv[1], O_CREAT | O_WRONLY, 0600));
    if (argc == 4)
        nap_until(argv[3]);
    if (argc == 4 && strcmp(argv[2], "fork") == 0 && fork() > 0)
        rest_for_ever();
    for (;;) {
        burn_outer(0.001);
        PROFD_MARKER("beat", PROFD_CATEGORY_OTHER);
    }
}
