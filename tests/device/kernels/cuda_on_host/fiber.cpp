#include "tests/device/kernels/cuda_on_host/fiber.h"

#include <sys/mman.h>

#include <cstdint>
#include <cstdlib>

#if defined(__SANITIZE_ADDRESS__)
#include <sanitizer/asan_interface.h>
#include <sanitizer/common_interface_defs.h>
#endif

#if defined(__x86_64__)
// Saves the registers that a function must keep, changes the stack and restores them from the other one.
// swapcontext() would make two system calls more each time.
extern "C" void trainyardSwitchStack(void** saved, void* next);
asm(R"(
.text
.globl trainyardSwitchStack
.type trainyardSwitchStack, @function
trainyardSwitchStack:
    pushq %rbp
    pushq %rbx
    pushq %r12
    pushq %r13
    pushq %r14
    pushq %r15
    movq %rsp, (%rdi)
    movq %rsi, %rsp
    popq %r15
    popq %r14
    popq %r13
    popq %r12
    popq %rbx
    popq %rbp
    ret
.size trainyardSwitchStack, .-trainyardSwitchStack
)");
#endif

namespace trainyard::on_host {

namespace {

constexpr std::size_t kGuardBytes = 64 << 10; // a multiple of every page size
constexpr std::size_t kStackBytes = 128 << 10;

// Where enter() finds its fiber: a new stack has no parameters.
Fiber* s_entering = nullptr;

} // namespace

Fiber::Fiber()
{
    void* memory = mmap(nullptr, kGuardBytes + kStackBytes, PROT_READ | PROT_WRITE,
                        MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (memory == MAP_FAILED || mprotect(memory, kGuardBytes, PROT_NONE) != 0)
        std::abort();
    m_memory = static_cast<std::byte*>(memory);
}

Fiber::~Fiber()
{
    munmap(m_memory, kGuardBytes + kStackBytes);
}

void Fiber::start(void (*body)(void*), void* argument)
{
    m_body = body;
    m_argument = argument;
    std::byte* const stack = m_memory + kGuardBytes;
#if defined(__SANITIZE_ADDRESS__)
    __asan_unpoison_memory_region(stack, kStackBytes); // marks of a body that was not resumed
    m_fakeStack = nullptr;
#endif
#if defined(__x86_64__)
    // As a call leaves it: the address to return to, at a multiple of 16, below it six registers.
    auto* top = reinterpret_cast<std::uintptr_t*>(stack + kStackBytes) - 2;
    top[1] = 0;
    top[0] = reinterpret_cast<std::uintptr_t>(&Fiber::enter);
    for (int i = 1; i <= 6; ++i)
        top[-i] = 0;
    m_here = top - 6;
#else
    getcontext(&m_here);
    m_here.uc_stack.ss_sp = stack;
    m_here.uc_stack.ss_size = kStackBytes;
    m_here.uc_link = nullptr;
    makecontext(&m_here, &Fiber::enter, 0);
#endif
}

void Fiber::resume()
{
    s_entering = this;
#if defined(__SANITIZE_ADDRESS__)
    void* fakeStack = nullptr;
    __sanitizer_start_switch_fiber(&fakeStack, m_memory + kGuardBytes, kStackBytes);
#endif
#if defined(__x86_64__)
    trainyardSwitchStack(&m_caller, m_here);
#else
    swapcontext(&m_caller, &m_here);
#endif
#if defined(__SANITIZE_ADDRESS__)
    __sanitizer_finish_switch_fiber(fakeStack, nullptr, nullptr);
#endif
}

void Fiber::giveWay()
{
    switchToCaller(false);
#if defined(__SANITIZE_ADDRESS__)
    __sanitizer_finish_switch_fiber(m_fakeStack, &m_callersStack, &m_callersBytes);
#endif
}

void Fiber::switchToCaller([[maybe_unused]] bool isLast)
{
#if defined(__SANITIZE_ADDRESS__)
    __sanitizer_start_switch_fiber(isLast ? nullptr : &m_fakeStack, m_callersStack, m_callersBytes);
#endif
#if defined(__x86_64__)
    trainyardSwitchStack(&m_here, m_caller);
#else
    swapcontext(&m_here, &m_caller);
#endif
}

void Fiber::enter()
{
    Fiber& self = *s_entering;
#if defined(__SANITIZE_ADDRESS__)
    __sanitizer_finish_switch_fiber(nullptr, &self.m_callersStack, &self.m_callersBytes);
#endif
    self.m_body(self.m_argument);
    self.switchToCaller(true);
    std::abort(); // nobody resumes what has ended
}

bool Fiber::isOnStack(const void* address) const
{
    const auto* byte = static_cast<const std::byte*>(address);
    return byte >= m_memory && byte < m_memory + kGuardBytes + kStackBytes;
}

} // namespace trainyard::on_host
