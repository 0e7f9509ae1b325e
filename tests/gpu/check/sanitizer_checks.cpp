#include <chrono>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <sstream>

#include <fmt/format.h>

#include "engine/base/process.h"
#include "tests/gpu/check/checks.h"

namespace trainyard {

namespace {

constexpr std::chrono::minutes kToolLimit{3};

std::string sanitizer()
{
    const std::string inPath = programInPath("compute-sanitizer");
    const std::string usual = "/usr/local/cuda/bin/compute-sanitizer";
    return inPath.empty() && std::filesystem::exists(usual) ? usual : inPath;
}

/// What the tools say of the first faults; their lines begin with "=========".
std::string summaryOf(const std::string& output)
{
    constexpr int kMaxLines = 40;
    std::string summary;
    std::istringstream lines(output);
    int count = 0;
    for (std::string line; count < kMaxLines && std::getline(lines, line);) {
        if (line.starts_with("========= ") && line.find_first_not_of("= ") != std::string::npos) {
            summary += "\n    " + line.substr(line.find_first_not_of("= "));
            ++count;
        }
    }
    return summary;
}

Status runTool(const std::string& checker, const std::string& tool, const std::vector<std::string>& program)
{
    std::vector<std::string> command{checker, "--tool", tool, "--error-exitcode", "9", "--target-processes",
                                     "all"};
    command.insert(command.end(), program.begin(), program.end());
    command.insert(command.end(), {"kernels", "--small"});
    TRAINYARD_TRY(const CommandOutput done, runCommand(command, kToolLimit));
    return done.status == 0 ? Status()
                            : failed(fmt::format("status {}: {}", done.status, summaryOf(done.text)));
}

} // namespace

std::vector<std::string> ownCommand(int argumentCount)
{
    std::ifstream file("/proc/self/cmdline", std::ios::binary);
    const std::string bytes{std::istreambuf_iterator<char>(file), {}};
    std::vector<std::string> words;
    for (std::size_t begin = 0; begin < bytes.size();) {
        const std::size_t end = std::min(bytes.find('\0', begin), bytes.size());
        words.push_back(bytes.substr(begin, end - begin));
        begin = end + 1;
    }
    words.resize(words.size() - static_cast<std::size_t>(argumentCount));
    words.front() = std::filesystem::read_symlink("/proc/self/exe").string();
    return words;
}

void checkSanitizers(const std::vector<std::string>& program, CheckReport& report)
{
    report.beginGroup("sanitizers");
    const std::string checker = sanitizer();
    for (const char* tool : {"memcheck", "racecheck", "synccheck", "initcheck"}) {
        if (checker.empty())
            report.skip(tool, "compute-sanitizer is not on this machine");
        else
            report.holds(tool, [&] { return runTool(checker, tool, program); });
    }
}

} // namespace trainyard
