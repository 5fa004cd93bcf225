/* Names of generated code, as engines write them into their lists, made locations of a profile.
 * Pure.
 *
 *     JS:*parse file:///srv/app.js:12:5     V8: its kind, a letter for the tier, name, source
 *     py::parse:/srv/app.py                 CPython
 *     void [app] Parser::Read()[Tier0]      .NET: the tier behind the name
 *     anything else                         "anything else (in [generated code])" */
#ifndef PROFD_PROFCTL_JIT_NAME_H
#define PROFD_PROFCTL_JIT_NAME_H

#include <stddef.h>

enum { JIT_LOCATION_BYTES = 2048 };

/* "function (source:line:column)", or as above, into OUT, terminated; cut where it would be too
 * long. Returns its length. Bytes that no text has become '?'. *TIER is that of the compiler, a
 * word that is never freed; NULL: not known. */
size_t jit_name_location(const char *name, size_t bytes, char out[JIT_LOCATION_BYTES],
                         const char **tier);

#endif
