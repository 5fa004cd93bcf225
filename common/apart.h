/* Large variables that most processes never use, or use little of, lie apart from the small ones
 * that all use. Memory comes by the page: each page that is touched costs a process a fault, and
 * each child that it forks one more. */
#ifndef PROFD_COMMON_APART_H
#define PROFD_COMMON_APART_H

/* For the definition of a zeroed variable of a page or more. The linker sorts sections by name. */
#define LARGE_APART __attribute__((section(".bss.apart")))

#endif
