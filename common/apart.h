/* Large variables lie apart from the small ones that all processes use. Memory comes by the page:
 * each page that is touched costs a process a fault, and each child that it forks one more.
 *
 * libprofd.so is linked with its sections sorted by name, which puts these behind .bss, in this
 * order; elsewhere they have no effect. */
#ifndef PROFD_COMMON_APART_H
#define PROFD_COMMON_APART_H

/* For the definition of a large zeroed variable whose first bytes, or all, each process touches as
 * it begins: beside the small ones, with which they share pages. */
#define LARGE_EARLY __attribute__((section(".bss.early")))

/* Of any other of a thousand bytes or more. */
#define LARGE_APART __attribute__((section(".bss.large")))

#endif
