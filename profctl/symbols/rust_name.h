/* Rust's own mangling ("v0", names that begin with _R), back to what the author wrote. Pure. */
#ifndef PROFD_PROFCTL_RUST_NAME_H
#define PROFD_PROFCTL_RUST_NAME_H

/* "core::slice::sort::<u64>" for "_RNv…"; hashes and lifetimes are left out. Allocated, the caller
 * frees it. NULL: LINKER_NAME is no such name, uses what is rare (constants that are not numbers),
 * is too long, or there is no memory; then it is shown as it is. */
char *rust_name_demangle(const char *linker_name);

#endif
