// profd.hpp: labels and markers as scopes of C++ (C++11 or later). Includes all of profd.h.
//
//     void handle(const request &r)
//     {
//         PROFD_SCOPE("handle", PROFD_CATEGORY_NETWORK);                  // a label
//         PROFD_INTERVAL_SCOPE("handle", PROFD_CATEGORY_NETWORK);         // a marker, at the end
//         long status = 0;
//         PROFD_TYPED_SCOPE(request, "GET", PROFD_CATEGORY_NETWORK, r.url(), status);
//         status = answer(r);                                             // … with values of then
//     }
//
// Scopes end however they are left, including by exceptions. Nothing here throws.
#ifndef PROFD_HPP
#define PROFD_HPP

#include "profd.h"

#include <string>
#include <utility>

namespace profd
{
#ifdef PROFD_DISABLED
// In a namespace of their own: files that are compiled with the API have other classes of these
// names.
inline namespace disabled
{
#endif

// A label for as long as the object lives: on the stack, or the labels would not nest.
class label_scope
{
  public:
    label_scope(profd_site &site, void *stack_address) noexcept
        : generation_((profd_recording & PROFD_RECORDING_LABELS) != 0
                          ? profd_label_push(&site, stack_address)
                          : 0)
    {
    }
    // A text made at run time; see profd_label_text().
    label_scope(const char *text, uintptr_t category, void *stack_address) noexcept
        : generation_((profd_recording & PROFD_RECORDING_LABELS) != 0
                          ? profd_label_push(profd_label_text(text, category), stack_address)
                          : 0)
    {
    }
    label_scope(const std::string &text, uintptr_t category, void *stack_address) noexcept
        : label_scope(text.c_str(), category, stack_address)
    {
    }
    ~label_scope()
    {
        profd_label_scope_end_(&generation_);
    }
    label_scope(const label_scope &) = delete;
    label_scope &operator=(const label_scope &) = delete;

  private:
    uint32_t generation_;
};

// A marker that lasts as long as the object.
class interval_scope
{
  public:
    explicit interval_scope(profd_site &site) noexcept : site_(site), start_(PROFD_NOW())
    {
    }
    ~interval_scope()
    {
        if (start_ != 0 && (profd_recording & PROFD_RECORDING_MARKERS) != 0)
            profd_marker_interval(&site_, start_, has_text_ ? text_.c_str() : nullptr);
    }
    // The text of the marker; read at the end of the scope. Does nothing while nothing is recorded.
    template <typename Text> void set_text(Text &&text)
    {
        if (start_ == 0)
            return;
        text_ = std::forward<Text>(text);
        has_text_ = true;
    }
    interval_scope(const interval_scope &) = delete;
    interval_scope &operator=(const interval_scope &) = delete;

  private:
    profd_site &site_;
    uint64_t start_;
    std::string text_;
    bool has_text_ = false;
};

// Calls a function with the time of its making when it ends.
template <typename Function> class scope_end
{
  public:
    explicit scope_end(Function function) : function_(std::move(function)), start_(PROFD_NOW())
    {
    }
    ~scope_end()
    {
        if (start_ != 0)
            function_(start_);
    }
    scope_end(const scope_end &) = delete;
    scope_end &operator=(const scope_end &) = delete;

  private:
    Function function_;
    uint64_t start_;
};

// The calling thread is registered under a name for as long as the object lives.
class thread_scope
{
  public:
    explicit thread_scope(const char *name) noexcept : error_(profd_register_thread(name))
    {
    }
    ~thread_scope()
    {
        if (error_ == 0)
            profd_unregister_thread();
    }
    thread_scope(const thread_scope &) = delete;
    thread_scope &operator=(const thread_scope &) = delete;

  private:
    int error_;
};

// The stack of the place where the object is made.
struct stack : profd_stack {
    stack() noexcept
    {
        profd_stack_capture(this);
    }
};

// The options of PROFD_TYPED_SCOPE. Swallows the category, with which the macro's arguments begin:
// a standard macro cannot separate it from the values, since there may be none.
struct since_without {
    uint64_t start;
    template <typename Category> profd_marker_options operator=(const Category &) const noexcept
    {
        return profd_since(start);
    }
};

// What a payload's text is: strings of C and C++ alike.
inline const char *text(const char *value) noexcept
{
    return value;
}
inline const char *text(const std::string &value) noexcept
{
    return value.c_str();
}

#ifdef PROFD_DISABLED
} // namespace disabled
#endif
} // namespace profd

#ifndef PROFD_DISABLED

#define PROFD_HPP_SITE_(NAME, CATEGORY, ID)                                                        \
    static profd_site PROFD_CONCAT_(profd_site_, ID) = {                                           \
        NAME, __func__, __FILE__, __LINE__, (uintptr_t)(CATEGORY), 0, nullptr, 0                   \
    }

// A label from here to the end of the scope.
#define PROFD_SCOPE(NAME, CATEGORY) PROFD_SCOPE_(NAME, CATEGORY, __COUNTER__)
#define PROFD_SCOPE_(NAME, CATEGORY, ID)                                                           \
    PROFD_HPP_SITE_(NAME, CATEGORY, ID);                                                           \
    ::profd::label_scope PROFD_CONCAT_(profd_scope_, ID)(PROFD_CONCAT_(profd_site_, ID),           \
                                                         __builtin_frame_address(0))

// … whose text is made at run time.
#define PROFD_SCOPE_TEXT(TEXT, CATEGORY)                                                           \
    ::profd::label_scope PROFD_CONCAT_(profd_scope_, __COUNTER__)(TEXT, (uintptr_t)(CATEGORY),     \
                                                                  __builtin_frame_address(0))

// A marker that lasts from here to the end of the scope.
#define PROFD_INTERVAL_SCOPE(NAME, CATEGORY) PROFD_INTERVAL_SCOPE_(NAME, CATEGORY, __COUNTER__)
#define PROFD_INTERVAL_SCOPE_(NAME, CATEGORY, ID)                                                  \
    PROFD_HPP_SITE_(NAME, CATEGORY, ID);                                                           \
    ::profd::interval_scope PROFD_CONCAT_(profd_interval_, ID)(PROFD_CONCAT_(profd_site_, ID))

// PROFD_TYPED_SCOPE(TYPE, NAME, CATEGORY, …): the same with a type, and with the values at the end
// of the scope: variables are referred to, not copied.
#define PROFD_TYPED_SCOPE(TYPE, NAME, ...) PROFD_TYPED_SCOPE_(__COUNTER__, TYPE, NAME, __VA_ARGS__)
#define PROFD_TYPED_SCOPE_(ID, TYPE, NAME, ...)                                                    \
    auto PROFD_CONCAT_(profd_end_, ID) = [&](uint64_t profd_start) {                               \
        PROFD_MARKER_TYPED(TYPE, NAME, PROFD_HPP_FIRST_(__VA_ARGS__, 0),                           \
                           ::profd::since_without{ profd_start } = __VA_ARGS__);                   \
    };                                                                                             \
    ::profd::scope_end<decltype(PROFD_CONCAT_(profd_end_, ID))> PROFD_CONCAT_(                     \
        profd_scope_end_, ID)(PROFD_CONCAT_(profd_end_, ID))
#define PROFD_HPP_FIRST_(FIRST, ...) FIRST

#else

#define PROFD_SCOPE(NAME, CATEGORY)          PROFD_NOTHING_((void)(NAME), (void)(CATEGORY))
#define PROFD_SCOPE_TEXT(TEXT, CATEGORY)     PROFD_NOTHING_((void)(TEXT), (void)(CATEGORY))
#define PROFD_INTERVAL_SCOPE(NAME, CATEGORY) PROFD_NOTHING_((void)(NAME), (void)(CATEGORY))
#define PROFD_TYPED_SCOPE(TYPE, NAME, ...)                                                         \
    PROFD_MARKER_TYPED(TYPE, NAME, PROFD_HPP_FIRST_(__VA_ARGS__, 0),                               \
                       ::profd::since_without{ 0 } = __VA_ARGS__)
#define PROFD_HPP_FIRST_(FIRST, ...) FIRST

#endif

#endif
