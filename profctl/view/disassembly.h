/* Machine code as text. Pure. */
#ifndef PROFD_PROFCTL_DISASSEMBLY_H
#define PROFD_PROFCTL_DISASSEMBLY_H

#include <stddef.h>
#include <stdint.h>

#define DISASSEMBLY_ARCH "x86_64" /* as the symbolication API calls it */

/* An instruction, OFFSET bytes behind the start. Returns 0 or a negative errno, which ends the
 * rest. */
typedef int disassembly_told(void *owner, uint64_t offset, const char *text);

/* Tells the instructions of COUNT bytes at ADDRESS, in their order; a byte that begins none is told
 * as "(bad)". Returns 0, -ENOMEM, or the error of TOLD. */
int disassemble(const uint8_t *code, size_t count, uint64_t address, disassembly_told *told,
                void *owner);

#endif
