/* The unwind tables of a module, for the reader of call-frame information. */
#ifndef PROFD_AGENT_MODULE_TABLES_H
#define PROFD_AGENT_MODULE_TABLES_H

#include <errno.h>

#include "child-agent/unwinding/call_frame_info.h"
#include "child-agent/unwinding/module.h"

static inline struct frame_tables module_tables(const struct module *module)
{
    return (struct frame_tables){
        module->eh_frame_header, module->eh_frame_header_bytes, module->eh_frame_header_address,
        module->eh_frame,        module->eh_frame_bytes,        module->eh_frame_address,
    };
}

/* Like frame_tables_find_row(). Also returns -ENOENT if the module has no tables. */
static inline int module_find_row(const struct module *module, uint64_t address, uint32_t other,
                                  struct frame_row *out)
{
    const struct frame_tables tables = module_tables(module);
    return tables.header == NULL ? -ENOENT : frame_tables_find_row(&tables, address, other, out);
}

/* Like frame_tables_find_function(). Also returns -ENOENT if the module has no tables. */
static inline int module_find_function(const struct module *module, uint64_t address,
                                       uint64_t *start, uint64_t *bytes)
{
    const struct frame_tables tables = module_tables(module);
    return tables.header == NULL ? -ENOENT
                                 : frame_tables_find_function(&tables, address, start, bytes);
}

#endif
