/* What a process that starts and exits costs more for being profiled: program_start_exit PROGRAM,
 * run under `profctl run`. Each round starts it as a profiled process and as one that knows nothing
 * of it. */
#include <spawn.h>
#include <string.h>
#include <sys/wait.h>

#include "tests/bench/bench.h"

enum { ROUNDS = 200, MAX_ENVIRONMENT = 1024 };

extern char **environ;

static char *bare_environment[MAX_ENVIRONMENT];

static void strip_environment(void)
{
    size_t kept = 0;
    for (char **variable = environ; *variable != NULL && kept < MAX_ENVIRONMENT - 1; variable++) {
        if (strncmp(*variable, "LD_PRELOAD=", 11) != 0 && strncmp(*variable, "PROFD_", 6) != 0)
            bare_environment[kept++] = *variable;
    }
}

static double start_and_wait(char *program, char **environment)
{
    char *arguments[] = { program, NULL };
    pid_t pid;
    double start = bench_now_ns();
    if (posix_spawn(&pid, program, NULL, NULL, arguments, environment) != 0 ||
        waitpid(pid, NULL, 0) != pid)
        exit(1);
    return bench_now_ns() - start;
}

int main(int argc, char **argv)
{
    static double profiled[ROUNDS], bare[ROUNDS], difference[ROUNDS];
    if (argc != 2)
        return 2;
    strip_environment();
    for (int i = 0; i < ROUNDS; i++) {
        bare[i] = start_and_wait(argv[1], bare_environment);
        profiled[i] = start_and_wait(argv[1], environ);
        difference[i] = (profiled[i] - bare[i]) / 1e6;
    }
    bench_figure("start and exit, above bare", bench_median(difference, ROUNDS), "ms", 2);
    bench_value("start_exit_bare_ms", bench_median(bare, ROUNDS) / 1e6);
    return 0;
}
