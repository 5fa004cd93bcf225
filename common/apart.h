/* Large variables lie apart from the small ones that all processes use. Memory comes by the page:
 * each page that is touched costs a process a fault, and each child that it forks one more. */
#ifndef PROFD_COMMON_APART_H
#define PROFD_COMMON_APART_H

/* For the definition of a zeroed variable of a page or more. libprofd.so is linked with its
 * sections sorted by name, which puts this one behind .bss; elsewhere it has no effect. */
#define LARGE_APART __attribute__((section(".bss.apart")))

#endif
