#pragma once

#include <cstddef>

#if !defined(__x86_64__)
#include <ucontext.h>
#endif

namespace trainyard::on_host {

/// A function with a stack of its own, which runs until it gives way. Used by one thread of the process at a
/// time. A function that gave way need not be resumed: then its locals are not destroyed.
class Fiber {
public:
    Fiber();
    ~Fiber();
    Fiber(const Fiber&) = delete;

    /// The next resume() begins with body(argument).
    void start(void (*body)(void* argument), void* argument);
    /// Returns when the body gives way or ends.
    void resume();
    /// For the body.
    void giveWay();

    bool isOnStack(const void* address) const;

private:
    static void enter();
    void switchToCaller(bool isLast);

    std::byte* m_memory; ///< a guard page, then the stack
    void (*m_body)(void*) = nullptr;
    void* m_argument = nullptr;
#if defined(__x86_64__)
    void* m_here = nullptr; ///< stack pointers
    void* m_caller = nullptr;
#else
    ucontext_t m_here{};
    ucontext_t m_caller{};
#endif
    void* m_fakeStack = nullptr; ///< AddressSanitizer's
    const void* m_callersStack = nullptr;
    std::size_t m_callersBytes = 0;
};

} // namespace trainyard::on_host
