// Lets a program, and every program that it starts, find a lesser processor: with
// LD_PRELOAD=lesser_processor.so the instruction CPUID is answered without what TRAINYARD_TEST_PROCESSOR
// leaves out (README.md). Every library decides by CPUID what it uses, so one switch reaches oneDNN, MKL,
// ATen and our own clones alike. The kernel makes CPUID fault (arch_prctl, ARCH_SET_CPUID), and the handler
// of that signal answers.

#include <cpuid.h>
#include <csignal>
#include <cstdint>
#include <cstdlib>
#include <cstring>

#include <dlfcn.h>
#include <sys/syscall.h>
#include <ucontext.h>
#include <unistd.h>

namespace {

constexpr long kSetCpuid = 0x1012; // ARCH_SET_CPUID
constexpr int kSkipped = 77;       // exit status, SKIP_RETURN_CODE of such tests

struct Registers {
    std::uint32_t eax, ebx, ecx, edx;
};

/// Bits to clear in the answers to leaf 7, subleaves 0 and 1.
struct LeftOut {
    std::uint32_t ebx0, ecx0, edx0, eax1, edx1;
};

constexpr std::uint32_t bits(auto... bit)
{
    return ((1U << bit) | ...);
}

// AMX tiles, AMX in bfloat16 and int8, AVX512-FP16; AVX512-BF16, AMX-FP16; AVX-NE-CONVERT, AMX-COMPLEX,
// AVX10.
constexpr LeftOut kNoBFloat16{0, 0, bits(22, 23, 24, 25), bits(5, 21), bits(5, 8, 19)};
// All of AVX-512 besides.
constexpr LeftOut kNoAvx512{bits(16, 17, 21, 26, 27, 28, 30, 31), bits(1, 6, 11, 12, 14),
                            bits(2, 3, 8, 22, 23, 24, 25), bits(5, 21), bits(5, 8, 19)};

// All of this runs while libraries are still being relocated: it may call nothing outside this file.
__attribute__((always_inline)) inline long systemCall(long number, long a, long b, long c = 0, long d = 0)
{
    register long r10 asm("r10") = d;
    long result = number;
    asm volatile("syscall" : "+a"(result) : "D"(a), "S"(b), "d"(c), "r"(r10) : "rcx", "r11", "memory");
    return result;
}

bool setCpuid(bool allowed)
{
    return systemCall(SYS_arch_prctl, kSetCpuid, allowed ? 1 : 0) == 0;
}

bool contains(const char* environment, long length, const char* entry, long entryLength)
{
    for (long at = 0; at + entryLength < length; ++at) {
        long same = 0;
        while (same < entryLength && environment[at + same] == entry[same])
            ++same;
        if (same == entryLength && environment[at + same] == 0 && (at == 0 || environment[at - 1] == 0))
            return true;
    }
    return false;
}

LeftOut leftOut{};

/// getenv() is not there yet.
bool chooseProcessor()
{
    static char environment[1 << 16];
    constexpr char kPath[] = "/proc/self/environ";
    constexpr char kAvx2[] = "TRAINYARD_TEST_PROCESSOR=avx2";
    constexpr char kAvx512[] = "TRAINYARD_TEST_PROCESSOR=avx512";
    const long file = systemCall(SYS_open, long(kPath), 0);
    if (file < 0)
        return false;
    long length = 0;
    for (long read = 1; read > 0; length += read > 0 ? read : 0)
        read = systemCall(SYS_read, file, long(environment + length), long(sizeof environment) - length);
    systemCall(SYS_close, file, 0);
    const bool avx2 = contains(environment, length, kAvx2, sizeof kAvx2 - 1);
    leftOut = avx2 ? kNoAvx512 : kNoBFloat16;
    return avx2 || contains(environment, length, kAvx512, sizeof kAvx512 - 1);
}

Registers answer(std::uint32_t leaf, std::uint32_t subleaf)
{
    Registers r{};
    setCpuid(true);
    __cpuid_count(leaf, subleaf, r.eax, r.ebx, r.ecx, r.edx);
    setCpuid(false);
    if (leaf == 7 && subleaf == 0) {
        r.ebx &= ~leftOut.ebx0;
        r.ecx &= ~leftOut.ecx0;
        r.edx &= ~leftOut.edx0;
    } else if (leaf == 7 && subleaf == 1) {
        r.eax &= ~leftOut.eax1;
        r.edx &= ~leftOut.edx1;
    }
    return r;
}

struct KernelAction {
    void (*handler)(int, siginfo_t*, void*);
    unsigned long flags;
    void (*restorer)();
    unsigned long mask;
};

/// What the program would have done on SIGSEGV.
struct sigaction programs {};

void passOn(int signal, siginfo_t* info, void* context)
{
    if (programs.sa_flags & SA_SIGINFO) {
        programs.sa_sigaction(signal, info, context);
    } else if (programs.sa_handler != SIG_DFL && programs.sa_handler != SIG_IGN) {
        programs.sa_handler(signal);
    } else {
        const KernelAction fatal{};
        systemCall(SYS_rt_sigaction, SIGSEGV, long(&fatal), 0, 8); // the instruction faults once more
    }
}

void onFault(int signal, siginfo_t* info, void* context)
{
    auto& registers = static_cast<ucontext_t*>(context)->uc_mcontext.gregs;
    const auto* code = reinterpret_cast<const unsigned char*>(registers[REG_RIP]);
    if (info->si_code != SI_KERNEL || code[0] != 0x0f || code[1] != 0xa2)
        return passOn(signal, info, context);
    const Registers r = answer(std::uint32_t(registers[REG_RAX]), std::uint32_t(registers[REG_RCX]));
    registers[REG_RAX] = r.eax;
    registers[REG_RBX] = r.ebx;
    registers[REG_RCX] = r.ecx;
    registers[REG_RDX] = r.edx;
    registers[REG_RIP] += 2;
}

asm(".hidden lesserProcessorReturn\n"
    "lesserProcessorReturn: mov $15, %eax\n syscall\n"); // SYS_rt_sigreturn
extern "C" __attribute__((visibility("hidden"))) void lesserProcessorReturn();

void install()
{
    constexpr unsigned long kRestorer = 0x04000000; // SA_RESTORER
    const KernelAction action{&onFault, SA_SIGINFO | SA_NODEFER | kRestorer, &lesserProcessorReturn, 0};
    systemCall(SYS_rt_sigaction, SIGSEGV, long(&action), 0, 8);
    if (setCpuid(false))
        return;
    constexpr char kWhy[] = "lesser_processor: this processor or kernel cannot make CPUID fault\n";
    systemCall(SYS_write, STDERR_FILENO, long(kWhy), sizeof kWhy - 1);
    systemCall(SYS_exit_group, kSkipped, 0);
}

bool isInstalled = false;

} // namespace

// The loader calls this while it relocates this library, which is before it relocates the program: early
// enough for the clones among which the program's own relocations choose.
extern "C" void (*lesserProcessorResolver())()
{
    isInstalled = chooseProcessor();
    if (isInstalled)
        install();
    return &lesserProcessorReturn;
}
extern "C" void lesserProcessor() __attribute__((ifunc("lesserProcessorResolver")));
extern "C" __attribute__((used)) void (*const lesserProcessorPointer)() = &lesserProcessor;

extern "C" int sigaction(int signal, const struct sigaction* action, struct sigaction* old)
{
    static const auto real = reinterpret_cast<int (*)(int, const struct sigaction*, struct sigaction*)>(
        dlsym(RTLD_NEXT, "sigaction"));
    if (signal != SIGSEGV || !isInstalled)
        return real(signal, action, old);
    if (old)
        *old = programs;
    if (action)
        programs = *action;
    return 0;
}

extern "C" sighandler_t signal(int number, sighandler_t handler)
{
    struct sigaction action {};
    struct sigaction old {};
    action.sa_handler = handler;
    action.sa_flags = SA_RESTART;
    return sigaction(number, &action, &old) == 0 ? old.sa_handler : SIG_ERR;
}
