/* observes [jump|enter|end|forks|threads]: a tenant that uses 4 ms of CPU time in each iteration,
 * and an observer of tenants that use more than 2 ms. Prints each alert.
 *
 * jump: the observer leaves by longjmp; enter: it enters units itself; end: it ends what it
 * observes, which is the handler, too; forks: a child goes on; threads: many begin to observe at
 * once. The status is 3 when nothing is heard, 5 when something is after its end. */
#include <profd.h>
#include <pthread.h>
#include <setjmp.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/system/programs/burn.h"

enum { WORK_US = 4000, ITERATIONS = 10, THREADS = 8, ROUNDS = 50 };

PROFD_UNIT(busy, "handler", "busy");
PROFD_UNIT(inside, "handler", "inside");

static const char *mode = "";
static jmp_buf out_of_call;
static unsigned alerts;
static bool is_over;

static void burn_us(uint64_t us)
{
    uint64_t end_ns = thread_cpu_ns() + us * 1000;
    while (thread_cpu_ns() < end_ns)
        burn_sink += burn_sink * 3 + 1;
}

static size_t groups_of(const struct profd_unit *unit, struct profd_group **out, size_t most,
                        void *context)
{
    (void)context, (void)most;
    out[0] = profd_group_ref("tenant", unit->name, 42, 0);
    return 1;
}

static void observe_alert(const struct profd_group_alert *alert, void *context)
{
    alerts++;
    if (is_over)
        _exit(5);
    printf("alert %.*s %.*s %llu times %llu highest %llu %llu\n", (int)alert->kind_bytes,
           alert->kind, (int)alert->name_bytes, alert->name, (unsigned long long)alert->id,
           (unsigned long long)alert->times, (unsigned long long)alert->highest_cpu_ns / 1000000,
           (unsigned long long)alert->highest_wall_ns / 1000000);
    fflush(stdout);
    if (strcmp(mode, "enter") == 0) {
        struct profd_stopwatch watch;
        profd_unit_enter(&watch, &inside);
        profd_unit_leave(&watch);
    }
    if (strcmp(mode, "end") == 0) {
        profd_groups_unobserve(observe_alert, context);
        is_over = true;
    }
    if (strcmp(mode, "jump") == 0)
        longjmp(out_of_call, 1);
}

static void run_iteration(void)
{
    struct profd_stopwatch watch;
    profd_unit_enter(&watch, &busy);
    burn_us(WORK_US);
    profd_unit_leave(&watch);
}

static void *observe_again_and_again(void *argument)
{
    for (int i = 0; i < ROUNDS; i++) {
        if (profd_groups_observe("cpu>2ms", observe_alert, &argument) != 0)
            _exit(4);
        profd_groups_unobserve(observe_alert, &argument);
    }
    return argument;
}

static void observe_at_once(void)
{
    pthread_t threads[THREADS];
    for (int i = 0; i < THREADS; i++) {
        if (pthread_create(&threads[i], NULL, observe_again_and_again, NULL) != 0)
            _exit(4);
    }
    for (int i = 0; i < THREADS; i++)
        (void)pthread_join(threads[i], NULL);
}

static void run_iterations(void)
{
    for (volatile int i = 0; i < ITERATIONS; i++) {
        if (setjmp(out_of_call) == 0)
            run_iteration();
    }
}

int main(int argc, char **argv)
{
    int context, status = 0;
    mode = argc > 1 ? argv[1] : mode;
    profd_units_ask(groups_of, NULL);
    printf("refused %d %d %d\n", profd_groups_observe("loud>2ms", observe_alert, NULL),
           profd_groups_observe(NULL, observe_alert, NULL),
           profd_groups_observe("cpu>2ms", NULL, NULL));
    if (strcmp(mode, "threads") == 0)
        observe_at_once();
    if (profd_groups_observe(strcmp(mode, "end") == 0 ? "cpu>2ms" : "cpu>2ms,kind=tenant",
                             observe_alert, &context) != 0)
        return 1;
    profd_unit_set_active(&busy, true);
    run_iterations();
    if (strcmp(mode, "forks") == 0) {
        pid_t child = fork();
        alerts = child == 0 ? 0 : alerts; /* the child hears for itself */
        run_iterations();
        if (child == 0)
            return alerts > 0 ? 0 : 3;
        if (waitpid(child, &status, 0) != child)
            return 1;
    }
    profd_groups_unobserve(observe_alert, &context);
    unsigned before = alerts;
    run_iterations();
    printf("alerts %u, after the end %u\n", before, alerts - before);
    if (before == 0)
        return 3;
    return WIFEXITED(status) ? WEXITSTATUS(status) : 4;
}
