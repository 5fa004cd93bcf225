/* tenants ITERATIONS [HOW]: a loop that handles two tenants by turns: "busy" computes for 4 ms in a
 * unit inside another one, "idle" sleeps for as long. Says what its thread's CPU clock knew of
 * them, and what the program's own snapshot of its groups tells, as lines of "WHAT KIND NAME CPU_NS
 * TICKS EXCEEDED_1_MS…".
 *
 * HOW is "plain"; "jumps": each iteration also leaves a unit by longjmp, which has computed for 1
 * ms; "events": each handling is an event of a loop that waits 20 ms between; "turns": the same as
 * turns of a loop with an idle clock; "waits": the same by the ends of iterations alone. */
#include <profd.h>
#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "tests/system/programs/burn.h"

enum { WORK_US = 4000, WAIT_US = 20 * 1000, LONG_NS = 16 * 1000 * 1000 };

PROFD_UNIT(busy_handler, "handler", "busy");
PROFD_UNIT(busy_parser, "parser", "busy");
PROFD_UNIT(idle_handler, "handler", "idle");
PROFD_UNIT(jumper, "handler", "jumper");

static uint64_t busy_ns, parser_ns, idle_ns;
static jmp_buf out_of_unit;

static size_t groups_of(const struct profd_unit *unit, struct profd_group **out, size_t most,
                        void *context)
{
    (void)context;
    if (most == 0 || unit == &jumper)
        return 0;
    out[0] = profd_group_ref("tenant", unit->name, 0, 0);
    return 1;
}

static void burn_us(uint64_t us)
{
    uint64_t end_ns = thread_cpu_ns() + us * 1000;
    while (thread_cpu_ns() < end_ns)
        burn_sink += burn_sink * 3 + 1;
}

static void parse_event(void)
{
    struct profd_stopwatch watch;
    uint64_t start_ns = thread_cpu_ns();
    profd_unit_enter(&watch, &busy_parser);
    burn_us(WORK_US / 2);
    profd_unit_leave(&watch);
    parser_ns += thread_cpu_ns() - start_ns;
}

static void handle_busy(void)
{
    struct profd_stopwatch watch;
    uint64_t start_ns = thread_cpu_ns();
    profd_unit_enter(&watch, &busy_handler);
    parse_event();
    burn_us(WORK_US / 2);
    profd_unit_leave(&watch);
    busy_ns += thread_cpu_ns() - start_ns;
}

static void handle_idle(void)
{
    struct profd_stopwatch watch;
    uint64_t start_ns = thread_cpu_ns();
    profd_unit_enter(&watch, &idle_handler);
    usleep(WORK_US);
    profd_unit_leave(&watch);
    idle_ns += thread_cpu_ns() - start_ns;
}

static __attribute__((noinline)) void jump_out(void)
{
    struct profd_stopwatch watch;
    profd_unit_enter(&watch, &jumper);
    burn_us(WORK_US / 4);
    longjmp(out_of_unit, 1);
}

static void show_group(const struct profd_group_stats *stats, void *context)
{
    (void)context;
    printf("group %.*s %.*s %llu %llu", (int)stats->kind_bytes, stats->kind, (int)stats->name_bytes,
           stats->name, (unsigned long long)stats->cpu_ns, (unsigned long long)stats->ticks);
    for (int i = 0; i < 10; i++)
        printf(" %llu", (unsigned long long)stats->cpu_exceeded[i]);
    printf(" wall");
    for (int i = 0; i < 10; i++)
        printf(" %llu", (unsigned long long)stats->wall_exceeded[i]);
    printf(" unattributed %llu\n", (unsigned long long)stats->unattributed_ns);
}

static uint64_t waited_ns;

static uint64_t waited_so_far(void *context)
{
    (void)context;
    return waited_ns;
}

static void wait_for_event(void)
{
    uint64_t start_ns = now_ns();
    usleep(WAIT_US);
    waited_ns += now_ns() - start_ns;
}

static unsigned long_iterations; /* of more than 16 ms, without the wait */

static void handle_both(void)
{
    uint64_t start_ns = now_ns();
    handle_busy();
    handle_idle();
    long_iterations += now_ns() - start_ns > LONG_NS;
}

static void handle_event(void)
{
    wait_for_event();
    profd_event_begin(0);
    handle_both();
    profd_event_end();
}

static void turn_loop(void)
{
    profd_event_loop_turn();
    wait_for_event();
    handle_both();
}

static void jump_and_handle(void)
{
    if (setjmp(out_of_unit) == 0)
        jump_out();
    handle_both();
    profd_iteration_end();
}

static void handle_plainly(void)
{
    handle_both();
    profd_iteration_end();
}

static void wait_and_handle(void)
{
    wait_for_event();
    handle_plainly();
}

static void (*find_handler(const char *how))(void)
{
    if (strcmp(how, "jumps") == 0)
        return jump_and_handle;
    if (strcmp(how, "events") == 0)
        return handle_event;
    if (strcmp(how, "waits") == 0)
        return wait_and_handle;
    return strcmp(how, "turns") == 0 ? turn_loop : handle_plainly;
}

int main(int argc, char **argv)
{
    int iterations = argc > 1 ? atoi(argv[1]) : 10;
    void (*handle)(void) = find_handler(argc > 2 ? argv[2] : "plain");
    uint64_t start_ns = thread_cpu_ns();
    profd_units_ask(groups_of, NULL);
    profd_groups_monitor(true, true);
    if (handle == turn_loop)
        profd_event_loop_begin(waited_so_far, NULL);
    for (int i = 0; i < iterations; i++)
        handle();
    if (handle == turn_loop)
        profd_event_loop_turn(); /* the last one ends */
    uint64_t all_ns = thread_cpu_ns() - start_ns;
    printf("truth all %llu busy %llu parser %llu idle %llu long %u\n", (unsigned long long)all_ns,
           (unsigned long long)busy_ns, (unsigned long long)parser_ns, (unsigned long long)idle_ns,
           long_iterations);
    return profd_groups_snapshot(show_group, NULL) == 0 ? 0 : 1;
}
