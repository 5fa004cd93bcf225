/* Where functions start that have no name: a stripped library still has the table that exceptions
 * are unwound with, and that lists nearly all of its functions. */
#ifndef PROFD_PROFCTL_SYMBOL_STARTS_H
#define PROFD_PROFCTL_SYMBOL_STARTS_H

#include <libelf.h>

#include "profctl/symbols/symbol_table.h"

/* Adds a symbol without a name for each function in ELF's .eh_frame_hdr to TABLE, which must be
 * sorted afterwards. A table that is not as compilers write it adds nothing. Returns 0 or
 * -ENOMEM. */
int symbol_starts_read(struct symbol_table *table, Elf *elf);

#endif
