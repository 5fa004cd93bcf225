/* holds_label FILE: works below a label and a marker each millisecond of its own, until it is
 * killed. FILE is made when the label is pushed. */
#include <fcntl.h>
#include <profd.h>
#include <unistd.h>

#include "tests/system/programs/burn.h"
#include "tests/system/programs/idle_thread.h"

int main(int argc, char **argv)
{
    if (argc != 2 || idle_thread_if_wanted() != 0)
        return 1;
    PROFD_LABEL_PUSH("held label", PROFD_CATEGORY_COMPUTE);
    close(open(argv[1], O_CREAT | O_WRONLY, 0600));
    for (;;) {
        burn_outer(0.001);
        PROFD_MARKER("beat", PROFD_CATEGORY_OTHER);
    }
}
