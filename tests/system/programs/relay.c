/* Two processes that take turns: while one has the token the other waits for it, so their "turn"
 * markers never overlap when times line up. Links libprofd. */
#include <sys/wait.h>
#include <unistd.h>

#include <profd.h>

#include "tests/system/programs/burn.h"

enum { TURNS = 20 };

static int take_turns(int from, int to)
{
    char token;
    for (int i = 0; i < TURNS; i++) {
        if (read(from, &token, 1) != 1)
            return 1;
        uint64_t start = PROFD_NOW();
        burn_outer(0.005);
        PROFD_MARKER_INTERVAL("turn", PROFD_CATEGORY_COMPUTE, start, NULL);
        if (write(to, &token, 1) != 1)
            return 1;
    }
    return 0;
}

int main(void)
{
    int forth[2], back[2], status;
    if (pipe(forth) < 0 || pipe(back) < 0 || write(back[1], "t", 1) != 1)
        return 2;
    pid_t child = fork();
    if (child == 0) {
        profd_set_process_name("relay child");
        _exit(take_turns(forth[0], back[1]));
    }
    int result = child > 0 ? take_turns(back[0], forth[1]) : 2;
    if (waitpid(child, &status, 0) != child || status != 0)
        return 3;
    return result;
}
