#include "buffer/clock.h"

#include <cpuid.h>
#include <fcntl.h>
#include <math.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "common/time_units.h"

enum {
    RATE_NS = 10 * NS_PER_MS, /* over which the rate of the remaining ticks is measured */
};

int clock_tsc_is_invariant;

static int takes_no_call; /* CLOCK_MONOTONIC */

/* Once the TSC may not be read any more. */
static struct {
    int is_forbidden;
    bool were_cycles; /* the ticks until then */
    struct clock_calibration calibration;
} without_tsc;

/* Intel and AMD both tell it in this leaf: the TSC runs at one rate through all power states. */
static bool cpu_has_invariant_tsc(void)
{
    unsigned eax, ebx, ecx, edx;
    return __get_cpuid(0x80000007, &eax, &ebx, &ecx, &edx) != 0 && (edx & (1u << 8)) != 0;
}

/* The program may have turned the instruction off for itself; it would then get a SIGSEGV. */
static bool tsc_may_be_read(void)
{
    int mode = 0;
    return prctl(PR_GET_TSC, &mode, 0, 0, 0) == 0 && mode == PR_TSC_ENABLE;
}

/* A kernel that found the TSCs of its processors to differ no longer offers them as a clock.
 * Without its word on it (no /sys), the processor's own is taken. */
static bool kernel_rejects_tsc(void)
{
    int fd = open("/sys/devices/system/clocksource/clocksource0/available_clocksource",
                  O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        return false;
    char names[256];
    ssize_t length = read(fd, names, sizeof(names));
    close(fd);
    return length > 0 && memmem(names, (size_t)length, "tsc", 3) == NULL;
}

static enum tsc_knowledge machine;

static enum tsc_knowledge probe_tsc(void)
{
    return cpu_has_invariant_tsc() && !kernel_rejects_tsc() ? TSC_IS_CLOCK : TSC_IS_NO_CLOCK;
}

enum tsc_knowledge clock_tsc_knowledge(void)
{
    return machine;
}

void clock_adopt(enum tsc_knowledge told)
{
    if (told == TSC_IS_CLOCK || told == TSC_IS_NO_CLOCK)
        machine = told;
}

void clock_initialize(void)
{
    static int is_decided; /* two threads that both decide come to the same result */
    if (__atomic_load_n(&is_decided, __ATOMIC_ACQUIRE))
        return;
    bool may_be_read = tsc_may_be_read();
    if (machine == TSC_UNKNOWN)
        machine = probe_tsc();
    bool is_tsc = machine == TSC_IS_CLOCK && may_be_read;
    if (!may_be_read)
        __atomic_store_n(&without_tsc.is_forbidden, 1, __ATOMIC_RELEASE);
    __atomic_store_n(&clock_tsc_is_invariant, is_tsc, __ATOMIC_RELAXED);
    __atomic_store_n(&is_decided, 1, __ATOMIC_RELEASE);
}

void clock_forbid_tsc(void)
{
    if (!__atomic_load_n(&without_tsc.is_forbidden, __ATOMIC_ACQUIRE) && clock_tsc_is_invariant) {
        const struct timespec pause = clock_timespec(RATE_NS);
        struct clock_pair early = clock_read_pair();
        (void)clock_nanosleep(CLOCK_MONOTONIC, 0, &pause, NULL);
        without_tsc.calibration = clock_calibrate(early, clock_read_pair(), 1);
        without_tsc.were_cycles = true;
    }
    __atomic_store_n(&without_tsc.is_forbidden, 1, __ATOMIC_RELEASE);
    __atomic_store_n(&clock_tsc_is_invariant, 0, __ATOMIC_RELEASE);
}

bool clock_is_tsc(void)
{
    return clock_tsc_is_invariant != 0 || without_tsc.were_cycles;
}

static uint64_t ticks_at(uint64_t monotonic_ns)
{
    const struct clock_calibration *calibration = &without_tsc.calibration;
    if (!without_tsc.were_cycles)
        return monotonic_ns;
    double passed_ns = (double)(int64_t)(monotonic_ns - calibration->base.monotonic_ns);
    return calibration->base.ticks + (uint64_t)(int64_t)(passed_ns / calibration->ns_per_tick);
}

uint64_t clock_ticks_without_tsc(void)
{
    return ticks_at(clock_monotonic_ns());
}

uint64_t clock_monotonic_ns(void)
{
    return clock_read_ns(CLOCK_MONOTONIC);
}

/* The shortest of some readings of the clock, by a system call or as the C library has it. */
static uint64_t shortest_reading(bool by_call)
{
    enum { READINGS = 16 };
    uint64_t shortest = UINT64_MAX;
    struct timespec now;
    for (int i = 0; i < READINGS; i++) {
        uint64_t before = __builtin_ia32_rdtsc();
        (void)(by_call ? syscall(SYS_clock_gettime, CLOCK_MONOTONIC, &now)
                       : clock_gettime(CLOCK_MONOTONIC, &now));
        uint64_t ticks = __builtin_ia32_rdtsc() - before;
        shortest = ticks < shortest ? ticks : shortest;
    }
    return shortest;
}

uint64_t clock_monotonic_in_ms(uint64_t ms)
{
    return clock_monotonic_ns() + ms * NS_PER_MS;
}

/* Which clock source is read without a call depends on the kernel, the hypervisor and the way that
 * the program was started; what is no call takes a fraction of one. */
void clock_look_for_calls(void)
{
    bool is_forbidden = __atomic_load_n(&without_tsc.is_forbidden, __ATOMIC_ACQUIRE);
    bool is_free = !is_forbidden && 2 * shortest_reading(false) < shortest_reading(true);
    __atomic_store_n(&takes_no_call, is_free, __ATOMIC_RELAXED);
}

uint64_t clock_monotonic_without_call_ns(void)
{
    bool is_forbidden = __atomic_load_n(&without_tsc.is_forbidden, __ATOMIC_ACQUIRE);
    bool is_free = __atomic_load_n(&takes_no_call, __ATOMIC_RELAXED);
    return is_free && !is_forbidden ? clock_monotonic_ns() : 0;
}

uint64_t clock_read_ns(clockid_t clock)
{
    struct timespec now;
    bool is_forbidden = __atomic_load_n(&without_tsc.is_forbidden, __ATOMIC_ACQUIRE);
    if ((is_forbidden ? syscall(SYS_clock_gettime, clock, &now) : clock_gettime(clock, &now)) < 0)
        return 0;
    return (uint64_t)now.tv_sec * NS_PER_S + (uint64_t)now.tv_nsec;
}

struct timespec clock_timespec(uint64_t ns)
{
    return (struct timespec){ .tv_sec = (time_t)(ns / NS_PER_S), .tv_nsec = (long)(ns % NS_PER_S) };
}

struct clock_pair clock_read_pair(void)
{
    if (!clock_tsc_is_invariant) {
        uint64_t now_ns = clock_monotonic_ns();
        return (struct clock_pair){ ticks_at(now_ns), now_ns };
    }
    struct clock_pair best = { 0, 0 };
    uint64_t best_width = UINT64_MAX;
    for (int attempt = 0; attempt < 3; attempt++) {
        uint64_t before = clock_ticks();
        uint64_t now_ns = clock_monotonic_ns();
        uint64_t width = clock_ticks() - before;
        if (width < best_width) {
            best_width = width;
            best = (struct clock_pair){ before + width / 2, now_ns };
        }
    }
    return best;
}

struct clock_calibration clock_calibrate(struct clock_pair early, struct clock_pair late,
                                         double fallback_ns_per_tick)
{
    struct clock_calibration calibration = { early, fallback_ns_per_tick };
    if (late.monotonic_ns <= early.monotonic_ns || late.ticks <= early.ticks ||
        late.monotonic_ns - early.monotonic_ns < CLOCK_CALIBRATION_MIN_NS)
        return calibration;
    double rate =
        (double)(late.monotonic_ns - early.monotonic_ns) / (double)(late.ticks - early.ticks);
    if (rate >= CLOCK_MIN_NS_PER_TICK && rate <= CLOCK_MAX_NS_PER_TICK)
        calibration.ns_per_tick = rate;
    return calibration;
}

uint64_t clock_to_ns(const struct clock_calibration *calibration, uint64_t ticks)
{
    int64_t distance = (int64_t)(ticks - calibration->base.ticks);
    double ns = fabs((double)distance * calibration->ns_per_tick);
    uint64_t base_ns = calibration->base.monotonic_ns;
    uint64_t away_ns = ns < 0x1p63 ? (uint64_t)ns : INT64_MAX;
    if (distance < 0)
        return base_ns > away_ns ? base_ns - away_ns : 0;
    return base_ns < UINT64_MAX - away_ns ? base_ns + away_ns : UINT64_MAX;
}
