/* Not interposed, but only where calls are: a name by which an agent that is linked into a program
 * (libprofd.a) sees that libprofd.so is there, whatever the program itself exports. */
#include "child-agent/interpose/presence.h"

const char profd_library_is_here_ = 1;
