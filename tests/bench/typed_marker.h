/* The marker with a payload that the benchmarks record: a number and a short string. */
#ifndef TESTS_BENCH_TYPED_MARKER_H
#define TESTS_BENCH_TYPED_MARKER_H

#include <profd.h>

#define TYPED_FIELDS(FIELD)                                                                        \
    FIELD(INTEGER, number, "Number")                                                               \
    FIELD(STRING, text, "Text")
PROFD_MARKER_TYPE(typed, TYPED_FIELDS, .table_label = "{marker.data.text}");

#endif
