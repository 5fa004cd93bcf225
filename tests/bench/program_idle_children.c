/* What a thousand connected processes that do nothing cost profd, which runs this program: they are
 * forked, so each has an agent of its own. */
#include <signal.h>
#include <sys/prctl.h>

#include "tests/bench/watched_profd.h"

enum { CHILDREN = 1000, SETTLE_SECONDS = 3, SECONDS = 10, DEADLINE_SECONDS = 120 };

static pid_t children[CHILDREN];

static void end_children(void)
{
    for (int i = 0; i < CHILDREN; i++) {
        if (children[i] > 0)
            kill(children[i], SIGKILL);
    }
}

static void start_child(int index, pid_t parent)
{
    children[index] = fork();
    if (children[index] < 0) {
        perror("fork");
        exit(1);
    }
    if (children[index] > 0)
        return;
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != parent)
        _exit(1);
    for (;;)
        pause();
}

static bool wait_for_sockets(pid_t profd, int count)
{
    double deadline = bench_now_ns() + DEADLINE_SECONDS * 1e9;
    while (watched_sockets(profd) < count) {
        if (bench_now_ns() > deadline)
            return false;
        usleep(50000);
    }
    return true;
}

int main(void)
{
    pid_t profd = getppid(), self = getpid();

    sleep(1); /* for its own agent to connect */
    int sockets = watched_sockets(profd);
    double resident = watched_resident_kilobytes(profd);
    for (int i = 0; i < CHILDREN; i++)
        start_child(i, self);
    bool all_came = wait_for_sockets(profd, sockets + CHILDREN);
    if (all_came) {
        sleep(SETTLE_SECONDS);
        bench_figure("profd's CPU, 1,000 idle children", watched_share(profd, SECONDS), "%", 0.1);
        bench_figure("profd's memory for each of them",
                     (watched_resident_kilobytes(profd) - resident) / CHILDREN, "KB", 32);
    } else {
        fprintf(stderr, "only %d of %d children came\n", watched_sockets(profd) - sockets,
                CHILDREN);
    }
    end_children();
    return all_came ? 0 : 1;
}
