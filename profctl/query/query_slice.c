#include "profctl/query/query_slice.h"

#include <errno.h>
#include <stdbool.h>
#include <string.h>

#include "profctl/query/query_time.h"

int query_slice_add_value(struct query_slice *slice, const char *key, const char *value)
{
    if (slice->condition_count == QUERY_MAX_CONDITIONS)
        return -E2BIG;
    slice->conditions[slice->condition_count++] =
        (struct query_condition){ .key = key, .value = value, .key_length = strlen(key) };
    return 0;
}

int query_slice_add(struct query_slice *slice, const char *text)
{
    const char *equals = strchr(text, '=');

    if (equals == NULL || equals == text)
        return -EINVAL;
    int error = query_slice_add_value(slice, text, equals + 1);
    if (error == 0)
        slice->conditions[slice->condition_count - 1].key_length = (size_t)(equals - text);
    return error;
}

static bool is_key(const struct query_condition *condition, const char *key)
{
    return condition->key_length == strlen(key) &&
           memcmp(condition->key, key, condition->key_length) == 0;
}

/* Any other key is that of a label. */
static bool is_column(const struct query_condition *condition)
{
    static const char *const columns[] = { "service", "host",     "program", "version",
                                           "kind",    "build_id", "thread" };

    for (size_t i = 0; i < sizeof(columns) / sizeof(columns[0]); i++)
        if (is_key(condition, columns[i]))
            return true;
    return false;
}

/* Sums by hour know neither hosts nor jank. */
static bool needs_minutes(const struct query_slice *slice)
{
    if (slice->is_jank)
        return true;
    for (size_t i = 0; i < slice->condition_count; i++)
        if (is_key(&slice->conditions[i], "host"))
            return true;
    return false;
}

static void put_condition(const struct query_condition *condition, struct sql_text *sql)
{
    if (is_column(condition)) {
        sql_text_add(sql, " AND %.*s = ", (int)condition->key_length, condition->key);
    } else {
        sql_text_add(sql, " AND label.value[indexOf(label.key, ");
        sql_text_quote(sql, condition->key, condition->key_length);
        sql_text_add(sql, ")] = ");
    }
    sql_text_quote(sql, condition->value, strlen(condition->value));
}

static void put_conditions(const struct query_slice *slice, struct sql_text *sql)
{
    for (size_t i = 0; i < slice->condition_count; i++)
        put_condition(&slice->conditions[i], sql);
}

static void put_minutes(const struct query_slice *slice, uint32_t from_s, uint32_t to_s,
                        struct sql_text *sql)
{
    static const char usual[] = "cpu_ns, samples, allocated_bytes",
                      jank[] = "toInt64(jank_ns) AS cpu_ns, toUInt64(0) AS samples, "
                               "toUInt64(0) AS allocated_bytes";

    sql_text_add(sql,
                 "SELECT program, thread, stack, %s FROM %s.samples "
                 "WHERE minute >= toDateTime(%u) AND minute < toDateTime(%u)%s",
                 slice->is_jank ? jank : usual, slice->database, from_s, to_s,
                 slice->is_jank ? " AND jank_ns > 0" : "");
    put_conditions(slice, sql);
}

/* Of hours only the sources are known that the conditions are about; a service has rows together.
 * The sources' names are others within, since the server would take the columns of a condition for
 * any(). They have one row for each key, so that the join keeps each row of the sums: newer servers
 * drop all but the first for ANY INNER JOIN. */
static void put_hours(const struct query_slice *slice, uint32_t from_s, uint32_t to_s,
                      struct sql_text *sql)
{
    sql_text_add(sql,
                 "SELECT one_program AS program, one_thread AS thread, stack, cpu_ns, samples, "
                 "allocated_bytes FROM (SELECT service, source, stack, cpu_ns, samples, "
                 "allocated_bytes FROM %s.hours WHERE hour >= toDateTime(%u) AND "
                 "hour < toDateTime(%u)",
                 slice->database, from_s, to_s);
    for (size_t i = 0; i < slice->condition_count; i++)
        if (is_key(&slice->conditions[i], "service"))
            put_condition(&slice->conditions[i], sql);
    sql_text_add(sql,
                 ") GLOBAL ALL INNER JOIN (SELECT service, source, any(program) AS one_program, "
                 "any(thread) AS one_thread FROM %s.sources WHERE 1",
                 slice->database);
    put_conditions(slice, sql);
    sql_text_add(sql, " GROUP BY service, source) USING (service, source)");
}

/* Whole hours come from the sums by hour, which all hosts share; what is around them, and the
 * hours of one host and of jank, from minutes. */
static void put_source(const struct query_slice *slice, struct sql_text *sql)
{
    uint32_t first_s, last_s;

    query_time_whole_hours(slice->from_s, slice->to_s, &first_s, &last_s);
    if (needs_minutes(slice) || first_s == last_s) {
        put_minutes(slice, slice->from_s, slice->to_s, sql);
        return;
    }
    put_hours(slice, first_s, last_s, sql);
    if (slice->from_s < first_s) {
        sql_text_add(sql, " UNION ALL ");
        put_minutes(slice, slice->from_s, first_s, sql);
    }
    if (last_s < slice->to_s) {
        sql_text_add(sql, " UNION ALL ");
        put_minutes(slice, last_s, slice->to_s, sql);
    }
}

void query_slice_put_rows(const struct query_slice *slice, struct sql_text *sql)
{
    sql_text_add(
        sql, "SELECT * FROM (SELECT program, thread, stack, sum(cpu_ns) AS cpu, "
             "sum(samples) AS seen, sum(allocated_bytes) AS allocated, count() AS summed FROM (");
    put_source(slice, sql);
    sql_text_add(sql,
                 ") GROUP BY program, thread, stack ORDER BY cpu DESC LIMIT %d) "
                 "ORDER BY program, thread, stack FORMAT RowBinary",
                 QUERY_MAX_STACKS);
}

void query_slice_put_stacks(const struct query_slice *slice, struct sql_text *sql)
{
    sql_text_add(
        sql, "SELECT stack, any(frames) FROM %s.stacks WHERE stack GLOBAL IN (SELECT stack FROM (",
        slice->database);
    put_source(slice, sql);
    sql_text_add(sql, ")) GROUP BY stack FORMAT RowBinary");
}
