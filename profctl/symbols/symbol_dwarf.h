/* Inlined functions and line numbers at an address, from a library's DWARF.
 *
 * Units are indexed once by their address ranges and a unit's functions when the first address in
 * it is asked for, so that an answer walks one function and not the whole unit. Addresses are those
 * of the library's file. One thread. */
#ifndef PROFD_PROFCTL_SYMBOL_DWARF_H
#define PROFD_PROFCTL_SYMBOL_DWARF_H

#include <elfutils/libdw.h>
#include <stddef.h>
#include <stdint.h>

enum { SYMBOL_DWARF_MAX_INLINED = 64 }; /* deeper ones are left out */

/* What DWARF knows of one function in the chain at an address. */
struct dwarf_call {
    const char *linker_name; /* or the plain name; borrowed from the file; NULL: unknown */
    const char *file;        /* that the line is in, as the compiler saw it; borrowed; NULL */
    uint32_t line;           /* where it is at the address, or calls what is inlined in it; 0 */
};

struct symbol_dwarf; /* opaque */

/* DWARF is borrowed; its addresses are the file's plus BIAS. Returns 0 or -ENOMEM. */
int symbol_dwarf_open(Dwarf *dwarf, uint64_t bias, struct symbol_dwarf **out);
void symbol_dwarf_close(struct symbol_dwarf *dwarf);

/* Fills CALLS, outermost (the function that has code of its own) first, for ADDRESS. Their number;
 * 0 when DWARF knows nothing there; -ENOMEM. The first one has a line only, and no name, when there
 * is line information but no function. */
int symbol_dwarf_calls(struct symbol_dwarf *dwarf, uint64_t address,
                       struct dwarf_call calls[SYMBOL_DWARF_MAX_INLINED]);

#endif
