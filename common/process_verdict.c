#include "common/process_verdict.h"

const char *process_verdict_name(enum process_verdict verdict)
{
    switch (verdict) {
#define X(name, number, text)                                                                      \
    case VERDICT_##name:                                                                           \
        return text;
        PROCESS_VERDICTS(X)
#undef X
    }
    return "unknown";
}
