// allocation_forms: allocates and frees by every function that there is for it, CALLS times each,
// then asks for more than anybody has, and allocates on. Says how often it called for memory that
// it got, or gave it back, as "calls COUNT".
#include <cerrno>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <malloc.h>
#include <new>

namespace
{

constexpr int calls = 5000, failures = 200;
constexpr size_t bytes = 3000, alignment = 256;
constexpr std::align_val_t aligned{ alignment };
constexpr size_t absurd = SIZE_MAX / 2 + 1; // no such number of bytes is positive

unsigned long count;

// What the compiler must not leave out.
void *keep(void *memory)
{
    asm volatile("" : "+r"(memory) : : "memory");
    if (memory == nullptr)
        abort();
    count++;
    return memory;
}

void give_back(void *memory)
{
    free(memory);
    count++;
}

void by_malloc_and_its_kin()
{
    void *memory = nullptr;
    give_back(keep(malloc(bytes)));
    give_back(keep(calloc(3, bytes / 3)));
    give_back(keep(realloc(keep(malloc(10)), bytes)));
    give_back(keep(realloc(nullptr, bytes)));
    give_back(keep(reallocarray(keep(malloc(10)), 3, bytes / 3)));
    give_back(keep(aligned_alloc(alignment, bytes)));
    give_back(keep(memalign(alignment, bytes)));
    if (posix_memalign(&memory, alignment, bytes) == 0)
        give_back(keep(memory));
    give_back(keep(valloc(bytes)));
    give_back(keep(pvalloc(bytes)));
}

void by_the_c_library(const char *text)
{
    give_back(keep(strdup(text)));
    give_back(keep(strndup(text, bytes / 2)));
}

void by_operators()
{
    const auto &nothrow = std::nothrow;
    ::operator delete(keep(::operator new(bytes)));
    ::operator delete(keep(::operator new(bytes)), bytes);
    ::operator delete(keep(::operator new(bytes, nothrow)), nothrow);
    ::operator delete[](keep(::operator new[](bytes)));
    ::operator delete[](keep(::operator new[](bytes)), bytes);
    ::operator delete[](keep(::operator new[](bytes, nothrow)), nothrow);
    ::operator delete(keep(::operator new(bytes, aligned)), aligned);
    ::operator delete(keep(::operator new(bytes, aligned)), bytes, aligned);
    ::operator delete(keep(::operator new(bytes, aligned, nothrow)), aligned, nothrow);
    ::operator delete[](keep(::operator new[](bytes, aligned)), aligned);
    ::operator delete[](keep(::operator new[](bytes, aligned)), bytes, aligned);
    ::operator delete[](keep(::operator new[](bytes, aligned, nothrow)), aligned, nothrow);
    count += 12;
}

void expect_none(void *memory)
{
    asm volatile("" : "+r"(memory) : : "memory");
    if (memory != nullptr)
        abort();
}

// None of these is counted, nor what they take from the thread's way to its next sample.
void ask_for_too_much(size_t much)
{
    void *volatile kept = malloc(bytes);
    void *memory = nullptr;
    expect_none(malloc(much));
    expect_none(calloc(much, 4));
    expect_none(calloc(1, much));
    expect_none(realloc(kept, much));
    expect_none(realloc(nullptr, much));
    expect_none(reallocarray(kept, much, 4));
    expect_none(aligned_alloc(alignment, much));
    expect_none(memalign(alignment, much));
    if (posix_memalign(&memory, alignment, much) == 0)
        abort();
    expect_none(valloc(much));
    expect_none(pvalloc(much - 8192));
    free(kept);
    count += 2;
}

void ask_operators_for_too_much(size_t much)
{
    expect_none(::operator new(much, std::nothrow));
    expect_none(::operator new[](much, std::nothrow));
    // Some of them round up, past zero.
    expect_none(::operator new(much - 8192, aligned, std::nothrow));
    try {
        expect_none(::operator new(much));
    } catch (const std::bad_alloc &) {
    }
}

} // namespace

extern "C" __attribute__((noinline)) void allocate_afterwards()
{
    for (int i = 0; i < 20 * calls; i++)
        give_back(keep(malloc(bytes)));
}

int main()
{
    static char text[bytes];
    memset(text, 'x', sizeof(text) - 1);
    for (int i = 0; i < calls; i++) {
        by_malloc_and_its_kin();
        by_the_c_library(text);
        by_operators();
    }
    // The compiler must not know what cannot be.
    volatile size_t sizes[] = { absurd, SIZE_MAX, absurd - 1, absurd + 100, SIZE_MAX / 4 };
    for (const volatile size_t &size : sizes) {
        for (int i = 0; i < failures; i++)
            ask_for_too_much(size);
        ask_operators_for_too_much(size); // which allocate what they throw
    }
    expect_none(malloc(sizes[0] + sizes[0] / 2));
    allocate_afterwards();
    printf("calls %lu\n", count);
    return 0;
}
