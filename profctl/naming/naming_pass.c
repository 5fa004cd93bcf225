#include "profctl/naming/naming_pass.h"

#include "profctl/json_copy.h"
#include "profctl/json_steps.h"

int naming_each_member(struct naming_pass *pass, int (*member)(struct naming_pass *pass))
{
    int error = 0;

    while (json_next_member(pass->reader, &error)) {
        error = member(pass);
        if (error == 0)
            error = failure_latch_error(pass->writer->latch);
    }
    json_end_object(pass->writer);
    return error;
}

int naming_enter(struct naming_pass *pass, enum json_token start)
{
    int error = json_expect(pass->reader, start);

    if (error < 0)
        return error;
    if (start == JSON_TOKEN_START_OBJECT)
        json_start_object(pass->writer);
    else
        json_start_array(pass->writer);
    return 0;
}

int naming_copy_key(struct naming_pass *pass)
{
    return json_copy_token(pass->reader, JSON_TOKEN_KEY, pass->writer);
}

int naming_copy_member(struct naming_pass *pass)
{
    return json_copy_member(pass->reader, pass->writer);
}

int naming_copy_number(struct naming_pass *pass, double *value)
{
    int token, error = naming_copy_key(pass);

    if (error < 0)
        return error;
    token = json_reader_next(pass->reader);
    if (token == JSON_TOKEN_NUMBER)
        *value = json_reader_double(pass->reader);
    return json_copy_from(pass->reader, token, pass->writer);
}

int naming_copy_objects(struct naming_pass *pass, int (*copy)(struct naming_pass *pass))
{
    int error = naming_copy_key(pass);

    if (error == 0)
        error = naming_enter(pass, JSON_TOKEN_START_ARRAY);
    while (json_next_object(pass->reader, &error))
        error = copy(pass);
    json_end_array(pass->writer);
    return error;
}
