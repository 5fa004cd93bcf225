/* Names for the stubs through which a library calls functions of others (x86-64). */
#ifndef PROFD_PROFCTL_SYMBOL_PLT_H
#define PROFD_PROFCTL_SYMBOL_PLT_H

#include <libelf.h>

#include "profctl/symbols/symbol_table.h"

/* Adds a symbol for each stub of ELF, with the name of the function that it jumps to, to the sorted
 * TABLE, which must be sorted again. What is not laid out as usual adds nothing. Returns 0 or
 * -ENOMEM. */
int symbol_plt_read(struct symbol_table *table, Elf *elf);

#endif
