// Runs LLVMFuzzerTestOneInput on inputs that it makes itself, for compilers without libFuzzer. The flags are
// libFuzzer's, so one command line runs either:
//     fuzz_x [-max_total_time=SECONDS] [-seed=N] [-timeout=SECONDS] [-max_len=BYTES] [-dict=FILE]
//            [-artifact_prefix=FOLDER/] SEED_FOLDER...         or      fuzz_x FILE...       to run inputs
//            again
// Inputs that reach new edges of the code (-fsanitize-coverage=trace-pc) become seeds for further ones.
#include <algorithm>
#include <array>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <sanitizer/common_interface_defs.h>
#include <string>
#include <unistd.h>
#include <vector>

#include "tests/support/fuzz/mutator.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);

namespace {

namespace fs = std::filesystem;
using Clock = std::chrono::steady_clock;

// What signal handlers and the compiler's calls must reach has no owner to be passed from.
constexpr std::size_t kEdges = 1u << 16;
std::array<std::uint8_t, kEdges> edgesOfThisRun;
std::uintptr_t previousBlock;
const std::string* inputOfThisRun;
std::string artifactPrefix;

void keepFailingInput()
{
    if (inputOfThisRun == nullptr)
        return;
    const std::string name =
        artifactPrefix + "crash-" + std::to_string(std::hash<std::string>()(*inputOfThisRun));
    std::ofstream(name, std::ios::binary) << *inputOfThisRun;
    std::fprintf(stderr, "the input that failed: %s\n", name.c_str());
}

void onTimeout(int)
{
    std::fputs("the input takes too long\n", stderr);
    std::abort();
}

std::string contentOf(const fs::path& file)
{
    std::ifstream in(file, std::ios::binary);
    return {std::istreambuf_iterator<char>(in), {}};
}

struct Arguments {
    std::map<std::string, std::string> flags;
    std::vector<fs::path> files;
    std::vector<fs::path> folders;
    fs::path missing;

    std::uint64_t number(const std::string& flag, std::uint64_t otherwise) const
    {
        const auto found = flags.find(flag);
        return found == flags.end() ? otherwise : std::strtoull(found->second.c_str(), nullptr, 10);
    }
    std::string text(const std::string& flag) const
    {
        const auto found = flags.find(flag);
        return found == flags.end() ? "" : found->second;
    }
};

Arguments parse(int argc, char** argv)
{
    Arguments arguments;
    for (int i = 1; i < argc; ++i) {
        const std::string argument = argv[i];
        const std::size_t equals = argument.find('=');
        if (argument.starts_with('-') && equals != std::string::npos)
            arguments.flags[argument.substr(1, equals - 1)] = argument.substr(equals + 1);
        else if (fs::is_directory(argument))
            arguments.folders.push_back(argument);
        else if (fs::exists(argument))
            arguments.files.push_back(argument);
        else
            arguments.missing = argument;
    }
    return arguments;
}

class Fuzzer {
public:
    explicit Fuzzer(const Arguments& arguments)
        : m_seed(arguments.number("seed", 0) != 0
                     ? arguments.number("seed", 0)
                     : static_cast<std::uint64_t>(Clock::now().time_since_epoch().count()))
        , m_longest(arguments.number("max_len", 16384))
        , m_timeout(static_cast<unsigned>(arguments.number("timeout", 30)))
        , m_mutator(m_seed, trainyard::dictionaryWords(contentOf(arguments.text("dict"))), m_longest)
    {
    }

    void runFiles(const std::vector<fs::path>& files)
    {
        for (const fs::path& file : files)
            tryInput(contentOf(file));
    }

    void runFor(std::chrono::seconds time)
    {
        if (m_inputs.empty())
            tryInput("");
        std::printf("seed %llu, %zu inputs, %zu edges\n", static_cast<unsigned long long>(m_seed),
                    m_inputs.size(), m_edges);
        std::fflush(stdout);
        const auto end = Clock::now() + time;
        while (Clock::now() < end)
            tryInput(m_mutator.mutate(pick(), pick()));
        std::printf("%llu runs, %zu inputs, %zu edges, nothing found\n",
                    static_cast<unsigned long long>(m_runs), m_inputs.size(), m_edges);
    }

private:
    const std::string& pick() { return m_inputs[m_mutator.below(m_inputs.size())]; }

    void tryInput(std::string input)
    {
        edgesOfThisRun.fill(0);
        inputOfThisRun = &input;
        alarm(m_timeout);
        LLVMFuzzerTestOneInput(reinterpret_cast<const std::uint8_t*>(input.data()), input.size());
        alarm(0);
        inputOfThisRun = nullptr;
        ++m_runs;
        if (reachedNewEdges() || m_inputs.empty())
            m_inputs.push_back(std::move(input));
    }

    bool reachedNewEdges()
    {
        const std::size_t before = m_edges;
        for (std::size_t i = 0; i < kEdges; ++i) {
            if (edgesOfThisRun[i] != 0 && m_seen[i] == 0) {
                m_seen[i] = 1;
                ++m_edges;
            }
        }
        return m_edges > before;
    }

    std::uint64_t m_seed;
    std::size_t m_longest;
    unsigned m_timeout; ///< seconds
    trainyard::Mutator m_mutator;
    std::vector<std::string> m_inputs; ///< that reached what no earlier one did
    std::array<std::uint8_t, kEdges> m_seen{};
    std::size_t m_edges = 0;
    std::uint64_t m_runs = 0;
};

std::vector<fs::path> filesIn(const std::vector<fs::path>& folders)
{
    std::vector<fs::path> files;
    for (const fs::path& folder : folders) {
        for (const auto& entry : fs::recursive_directory_iterator(folder)) {
            if (entry.is_regular_file())
                files.push_back(entry.path());
        }
    }
    std::sort(files.begin(), files.end());
    return files;
}

} // namespace

/// Called by the code that is tested, once per basic block.
extern "C" void __sanitizer_cov_trace_pc()
{
    const auto block = reinterpret_cast<std::uintptr_t>(__builtin_return_address(0)) -
                       reinterpret_cast<std::uintptr_t>(&LLVMFuzzerTestOneInput); // the program lies anywhere
    const std::uintptr_t mixed = block * 0x9E3779B97F4A7C15u >> 48;
    edgesOfThisRun[(mixed ^ previousBlock) % kEdges] = 1;
    previousBlock = mixed >> 1;
}

extern "C" const char* __asan_default_options()
{
    return "handle_abort=1:detect_leaks=0:max_allocation_size_mb=1024:allocator_may_return_null=1";
}

extern "C" const char* __ubsan_default_options()
{
    return "print_stacktrace=1:abort_on_error=1"; // as an abort it comes to keepFailingInput()
}

int main(int argc, char** argv)
{
    const Arguments arguments = parse(argc, argv);
    if (!arguments.missing.empty()) {
        std::fprintf(stderr, "there is no %s\n", arguments.missing.c_str());
        return 2;
    }
    artifactPrefix = arguments.text("artifact_prefix");
    __sanitizer_set_death_callback(keepFailingInput);
    std::signal(SIGALRM, onTimeout);
    Fuzzer fuzzer(arguments);
    fuzzer.runFiles(arguments.files);
    fuzzer.runFiles(filesIn(arguments.folders));
    if (arguments.files.empty())
        fuzzer.runFor(std::chrono::seconds(arguments.number("max_total_time", 10)));
    return 0;
}
