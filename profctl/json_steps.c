#include "profctl/json_steps.h"

int json_expect(struct json_reader *reader, enum json_token wanted)
{
    int token = json_reader_next(reader);

    return token == (int)wanted ? 0 : json_token_error(token);
}

/* Whether the next token is WANTED; the only other one that is right is END. */
static bool read_step(struct json_reader *reader, enum json_token wanted, enum json_token end,
                      int *error)
{
    if (*error < 0)
        return false;
    int token = json_reader_next(reader);
    if (token != (int)wanted && token != (int)end)
        *error = json_token_error(token);
    return token == (int)wanted;
}

bool json_next_member(struct json_reader *reader, int *error)
{
    return read_step(reader, JSON_TOKEN_KEY, JSON_TOKEN_END_OBJECT, error);
}

bool json_next_object(struct json_reader *reader, int *error)
{
    return read_step(reader, JSON_TOKEN_START_OBJECT, JSON_TOKEN_END_ARRAY, error);
}

bool json_next_array(struct json_reader *reader, int *error)
{
    return read_step(reader, JSON_TOKEN_START_ARRAY, JSON_TOKEN_END_ARRAY, error);
}
