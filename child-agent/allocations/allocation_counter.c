#include "child-agent/allocations/allocation_counter.h"

#include <stdbool.h>

#include "profd_counters.h"

PROFD_COUNTER(memory, "malloc", "Memory", "allocated and not freed, in bytes");

static __thread bool is_counting __attribute__((tls_model("initial-exec")));
static __thread int64_t late_bytes __attribute__((tls_model("initial-exec")));

/* A thread's first time may itself allocate: that is counted right after. */
static __attribute__((noinline)) void count_slowly(int64_t bytes)
{
    if (is_counting) {
        late_bytes += bytes;
        return;
    }
    is_counting = true;
    profd_counter_add_slow_(&memory, bytes);
    if (late_bytes != 0)
        profd_counter_add_slow_(&memory, late_bytes);
    late_bytes = 0;
    is_counting = false;
}

/* Whatever the counters of the program do: the session asked for this one. */
static void count_bytes(int64_t bytes)
{
    struct profd_counter_cell *cells = profd_counter_cells_;
    if (__builtin_expect(cells == NULL, 0))
        count_slowly(bytes);
    else
        profd_counter_cell_add(&cells[memory.slot], bytes);
}

int allocation_counter_start(struct allocation_hooks *hooks)
{
    int error = profd_counter_register(&memory);
    hooks->count = count_bytes;
    return error;
}
