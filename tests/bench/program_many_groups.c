/* program_many_groups PROCESSES GROUPS FILE: in each process so many groups, each of a unit of its
 * own that has run once; then waits to be looked at. FILE is made when all are there. */
#include <profd.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static size_t group_of(const struct profd_unit *unit, struct profd_group **out, size_t most,
                       void *context)
{
    (void)context;
    if (most == 0)
        return 0;
    out[0] = profd_group_ref("tenant", unit->name, 0, 0);
    return 1;
}

static void run_units(long count)
{
    struct profd_unit *units = calloc((size_t)count, sizeof(*units));
    char name[32];
    if (units == NULL)
        _exit(1);
    for (long i = 0; i < count; i++) {
        struct profd_stopwatch watch;
        snprintf(name, sizeof(name), "customer %ld", i);
        units[i] = (struct profd_unit){ .kind = "handler", .name = name };
        profd_unit_enter(&watch, &units[i]);
        profd_unit_leave(&watch);
        profd_iteration_end();
        units[i].name = ""; /* its group has the name */
    }
}

/* Once somebody asks for groups, which a process of one thread sees where it waits. */
static void wait_for_monitoring(void)
{
    while ((profd_recording & PROFD_RECORDING_GROUPS) == 0)
        usleep(1000);
}

int main(int argc, char **argv)
{
    int ready[2];
    char byte = 0;
    if (argc != 4 || pipe(ready) < 0)
        return 2;
    long processes = strtol(argv[1], NULL, 10);
    profd_units_ask(group_of, NULL);
    for (long i = 0; i < processes; i++) {
        if (fork() == 0) {
            wait_for_monitoring();
            run_units(strtol(argv[2], NULL, 10));
            if (write(ready[1], &byte, 1) != 1)
                _exit(1);
            pause();
        }
    }
    for (long i = 0; i < processes; i++) {
        if (read(ready[0], &byte, 1) != 1)
            return 1;
    }
    FILE *file = fopen(argv[3], "w");
    if (file == NULL || fputs("ready\n", file) < 0 || fclose(file) != 0)
        return 1;
    pause();
    return 0;
}
