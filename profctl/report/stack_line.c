#include "profctl/report/stack_line.h"

#include "profctl/units.h"

void stack_line_print(const char *title, double unreadable, FILE *out)
{
    char count[UNITS_TEXT_BYTES];

    if (unreadable <= 0)
        return;
    fprintf(out,
            "%s %s end early: process_vm_readv is refused, by a seccomp filter or the kernel, so "
            "only libraries that were there at the start are known; allow it\n",
            title, units_format_count((uint64_t)unreadable, count));
}
