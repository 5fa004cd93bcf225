/* The tracepoints that markers are compared with: without fields, and with a payload. */
#undef LTTNG_UST_TRACEPOINT_PROVIDER
#define LTTNG_UST_TRACEPOINT_PROVIDER profd_bench

#undef LTTNG_UST_TRACEPOINT_INCLUDE
#define LTTNG_UST_TRACEPOINT_INCLUDE "tests/bench/lttng_provider.h"

#if !defined(TESTS_BENCH_LTTNG_PROVIDER_H) || defined(LTTNG_UST_TRACEPOINT_HEADER_MULTI_READ)
#define TESTS_BENCH_LTTNG_PROVIDER_H

#include <lttng/tracepoint.h>

LTTNG_UST_TRACEPOINT_EVENT(profd_bench, point, LTTNG_UST_TP_ARGS(), LTTNG_UST_TP_FIELDS())
LTTNG_UST_TRACEPOINT_EVENT(profd_bench, typed, LTTNG_UST_TP_ARGS(int, number, const char *, text),
                           LTTNG_UST_TP_FIELDS(lttng_ust_field_integer(int, number, number)
                                                   lttng_ust_field_string(text, text)))

#endif

#include <lttng/tracepoint-event.h>
