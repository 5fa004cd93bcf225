/* Names of functions as their authors wrote them, from the names that linkers use. Pure. */
#ifndef PROFD_PROFCTL_SYMBOL_NAME_H
#define PROFD_PROFCTL_SYMBOL_NAME_H

/* The readable form of LINKER_NAME: C++ (Itanium) and Rust (legacy and v0) demangled, without
 * Rust's hash and without a symbol version; other names, and those that would be longer than 64 KB,
 * as they are. Allocated, the caller frees it; NULL: no memory. */
char *symbol_name_readable(const char *linker_name);

#endif
