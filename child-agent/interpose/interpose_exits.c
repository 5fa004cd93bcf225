/* Interposed: ends of the process that run no destructors, as children that were forked for one
 * task have them. The call itself is made as it is. */
#include <stdlib.h>
#include <unistd.h>

#include "child-agent/dormancy.h"
#include "child-agent/guest/interpose.h"
#include "child-agent/guest/real_calls.h"

typedef void exit_function(int);

static exit_function *real_exit, *real_c99_exit;

/* Early: they may be called in a signal handler, where nobody may ask the loader. */
__attribute__((constructor)) static void find_real(void)
{
    if (real_exit != NULL)
        return;
    real_c99_exit = (exit_function *)real_symbol("_Exit");
    real_exit = (exit_function *)real_symbol("_exit");
}

PROFD_INTERPOSED void _exit(int status)
{
    find_real();
    dormancy_prepare_end();
    real_exit(status);
    __builtin_unreachable();
}

PROFD_INTERPOSED void _Exit(int status)
{
    find_real();
    dormancy_prepare_end();
    real_c99_exit(status);
    __builtin_unreachable();
}
