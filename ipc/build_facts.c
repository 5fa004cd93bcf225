#include "ipc/build_facts.h"

#include <errno.h>

#include "buffer/arena.h"
#include "buffer/lease_ledger.h"
#include "build_facts_made.h"
#include "ipc/messages.h"

static const char features[] = {
#define X(name, bit, text, help) " " text
    FEATURES(X)
#undef X
};

#ifdef PROFD_CHECK_LOCKS
static const char checks[] = "checks:   locks\n";
#else
static const char checks[] = "";
#endif

int build_facts_print(FILE *out, const char *program)
{
    int written = fprintf(out,
                          "%s %s\n"
                          "commit:   %s\n"
                          "compiler: %s\n"
                          "protocol: %d.%d, arena %d, ledger %d\n"
                          "features:%s\n%s",
                          program, PROFD_VERSION, PROFD_COMMIT, PROFD_COMPILER, PROTOCOL_MAJOR,
                          PROTOCOL_MINOR, ARENA_VERSION, LEASE_LEDGER_VERSION, features, checks);
    return written < 0 || fflush(out) != 0 ? -EIO : 0;
}
