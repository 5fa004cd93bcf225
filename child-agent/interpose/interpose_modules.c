/* Interposed: loading and unloading of libraries, only to hear of it. */
#include <dlfcn.h>

#include "child-agent/guest/interpose.h"
#include "child-agent/guest/real_calls.h"
#include "child-agent/unwinding/process_unwinder.h"

PROFD_INTERPOSED int dlclose(void *handle)
{
    typedef int dlclose_function(void *);
    static dlclose_function *real;
    if (real == NULL)
        real = (dlclose_function *)real_symbol("dlclose");
    int result = real(handle);
    process_unwinder_modules_changed();
    return result;
}
