/* Children of vfork() that cannot run their program, and use CPU time all the same:
 * vfork_in_vain CHILDREN MILLISECONDS. */
#include <stdlib.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static double used_ms(void)
{
    struct timespec used;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &used);
    return (double)used.tv_sec * 1e3 + (double)used.tv_nsec / 1e6;
}

static void use(double ms)
{
    const double end = used_ms() + ms;
    while (used_ms() < end)
        continue;
}

static __attribute__((noreturn)) void be_child(double ms)
{
    char *arguments[] = { "nothing", NULL };
    execv("/nonexistent", arguments);
    use(ms);
    _exit(4);
}

/* Returns whether the child has ended as it should. */
static __attribute__((noinline)) int run_child(double ms)
{
    int status;
    pid_t child = vfork();
    if (child == 0)
        be_child(ms);
    return waitpid(child, &status, 0) == child && WIFEXITED(status) && WEXITSTATUS(status) == 4;
}

int main(int argc, char **argv)
{
    int count = argc == 3 ? atoi(argv[1]) : 0, ended = 0;
    for (int i = 0; i < count; i++)
        ended += run_child(atof(argv[2]));
    return count == 0 || ended != count;
}
