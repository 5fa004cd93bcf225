#include "profctl/report/stack_lines.h"

#include "profctl/units.h"

void stack_lines_print(const char *title, const struct stack_refusals *refused, FILE *out)
{
    char count[UNITS_TEXT_BYTES];

    if (refused->unreadable > 0)
        fprintf(out,
                "%s %s end early: process_vm_readv is refused, by a seccomp filter or the kernel, "
                "so only libraries that were there at the start are known; allow it\n",
                title, units_format_count((uint64_t)refused->unreadable, count));
    if (refused->unasked > 0)
        fprintf(out,
                "%s %s are missing: rt_tgsigqueueinfo is refused, by a seccomp filter, so the wall "
                "clock cannot ask threads where they are; allow it, or use --clock cpu\n",
                title, units_format_count((uint64_t)refused->unasked, count));
}
