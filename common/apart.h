/* Large variables lie apart from the small ones that all processes use. Memory comes by the page:
 * each page that is touched costs a process a fault, and each one that is written, each child that
 * it forks another, and a copy.
 *
 * libprofd.so is linked with its sections sorted by name (their names are in the order of the
 * alphabet), which puts these behind .bss, and the last ones in a section of their own; elsewhere
 * they have no effect. */
#ifndef PROFD_COMMON_APART_H
#define PROFD_COMMON_APART_H

/* For the definition of the one large variable whose first bytes each forked child writes: right
 * behind the small ones, with which it shares a page. */
#define LARGE_FIRST __attribute__((section(".bss.begin")))

/* For those of which each process touches the first bytes, or all, as it begins. */
#define LARGE_EARLY __attribute__((section(".bss.early")))

/* For all others of a thousand bytes or more, and for some of a few hundred that few processes
 * use. */
#define LARGE_APART __attribute__((section(".bss.large")))

#endif
