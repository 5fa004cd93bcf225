/* The meta of a process, and that of the root. */
#include "profctl/json_steps.h"
#include "profctl/naming/naming_pass.h"

/* Who owns the process' files; no viewer knows this member, so it is not copied. */
static int take_user(struct naming_pass *pass)
{
    int token = json_reader_next(pass->reader);

    if (token != JSON_TOKEN_NUMBER)
        return json_token_error(token);
    pass->generated.knows_user = json_reader_i64(pass->reader, &pass->generated.user) == 0;
    return 0;
}

static int copy_shutdown_time(struct naming_pass *pass)
{
    double shutdown_ms = 0;
    int error = naming_copy_number(pass, &shutdown_ms);

    pass->generated.end_ms = shutdown_ms != 0 ? pass->zero_ms + shutdown_ms : 0;
    return error;
}

static int copy_schemas(struct naming_pass *pass)
{
    int error = naming_copy_key(pass);

    return error < 0 ? error : marker_schemas_copy(&pass->schemas, pass->reader, pass->writer);
}

static int copy_categories(struct naming_pass *pass)
{
    int error = naming_copy_key(pass);

    if (error == 0)
        error = category_lists_read(pass->categories, pass->reader);
    if (error == 0)
        category_lists_write(pass->categories, pass->writer);
    return error;
}

static int meta_member(struct naming_pass *pass)
{
    if (json_reader_is(pass->reader, "startTime"))
        return naming_copy_number(pass, &pass->zero_ms);
    if (json_reader_is(pass->reader, "userId"))
        return take_user(pass);
    if (json_reader_is(pass->reader, "shutdownTime"))
        return copy_shutdown_time(pass);
    if (json_reader_is(pass->reader, "markerSchema"))
        return copy_schemas(pass);
    if (json_reader_is(pass->reader, "categories"))
        return copy_categories(pass);
    return naming_copy_member(pass);
}

int naming_copy_meta(struct naming_pass *pass)
{
    int error = naming_copy_key(pass);

    if (error == 0)
        error = naming_enter(pass, JSON_TOKEN_START_OBJECT);
    return error < 0 ? error : naming_each_member(pass, meta_member);
}

static int copy_root_schemas(struct naming_pass *pass)
{
    int error = naming_copy_key(pass);

    return error < 0 ? error : marker_schemas_copy_root(&pass->schemas, pass->reader, pass->writer);
}

static int root_meta_member(struct naming_pass *pass)
{
    if (json_reader_is(pass->reader, "presymbolicated"))
        return json_reader_skip(pass->reader);
    if (json_reader_is(pass->reader, "markerSchema"))
        return copy_root_schemas(pass);
    return meta_member(pass);
}

/* The viewer asks only the root's meta, for the whole profile. */
int naming_copy_root_meta(struct naming_pass *pass)
{
    int error = naming_copy_key(pass);

    if (error == 0)
        error = naming_enter(pass, JSON_TOKEN_START_OBJECT);
    if (error == 0 && pass->cache != NULL)
        json_bool_property(pass->writer, "presymbolicated", true);
    return error < 0 ? error : naming_each_member(pass, root_meta_member);
}
