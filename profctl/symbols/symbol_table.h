/* The functions of one library, by address: its symbol tables, merged and sorted.
 *
 * Addresses are those of the library's file (p_vaddr), as everywhere in symbolication. One thread.
 */
#ifndef PROFD_PROFCTL_SYMBOL_TABLE_H
#define PROFD_PROFCTL_SYMBOL_TABLE_H

#include <elfutils/libdwfl.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct symbol {
    uint64_t start, end; /* end: behind its last byte */
    const char *name;    /* the linker's; borrowed from the ELF file; NULL: not known */
    uint8_t rank;        /* of names at one address the lowest is best */
    bool is_plt;         /* a jump to the function of that name in another library */
};

/* A bit of the rank: the end is only where the next one begins. */
enum { SYMBOL_RANK_WITHOUT_SIZE = 1 << 4 };

struct symbol_table {
    struct symbol *symbols; /* sorted by start; owned */
    size_t count, capacity;
};

/* Reads all symbol tables that libdwfl knows of MODULE (.symtab or .dynsym, those of separate debug
 * files, mini debug info). ADDRESS_BIAS is taken off every address. A library without symbols makes
 * an empty table. Returns 0 or -ENOMEM. */
int symbol_table_read(struct symbol_table *table, Dwfl_Module *module, uint64_t address_bias);

/* Adds one, before symbol_table_sort(). NAME is borrowed. Returns 0 or -ENOMEM. */
int symbol_table_add(struct symbol_table *table, const struct symbol *symbol);

/* Sorts, keeps the best name of each address, and closes the ends of symbols without a size (end
 * given as the end of their section). */
void symbol_table_sort(struct symbol_table *table);

/* Returns the symbol that contains ADDRESS, preferably one with a name, or NULL. The table must be
 * sorted. */
const struct symbol *symbol_table_find(const struct symbol_table *table, uint64_t address);

void symbol_table_free(struct symbol_table *table);

#endif
