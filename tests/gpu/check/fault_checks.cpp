#include <chrono>
#include <csignal>
#include <filesystem>
#include <map>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>

#include <fmt/format.h>

#include "engine/base/file.h"
#include "engine/base/process.h"
#include "tests/gpu/check/checks.h"
#include "tests/gpu/check/fault_moments.h"

namespace trainyard {

namespace {

namespace fs = std::filesystem;
using Clock = std::chrono::steady_clock;

constexpr int kRanks = 3;
/// The deadline, and what starting CUDA three times over on one GPU takes.
constexpr std::chrono::seconds kPatience = 3 * kFaultDeadline + std::chrono::seconds(45);

/// Three ranks as processes of their own on the first GPU, the last of which is lost at a moment.
class LosingRanks {
public:
    LosingRanks(std::vector<std::string> program, const std::string& moment)
        : m_program(std::move(program))
        , m_folder(fs::temp_directory_path() / fmt::format("trainyard-gpu-faults-{}", ::getpid()))
        , m_moment(moment)
    {
        fs::create_directories(m_folder);
    }
    ~LosingRanks()
    {
        for (const auto& [process, rank] : m_alive)
            killGroup(process);
        std::error_code ignored;
        fs::remove_all(m_folder, ignored);
    }
    LosingRanks(const LosingRanks&) = delete;
    LosingRanks& operator=(const LosingRanks&) = delete;

    Status start()
    {
        for (int rank = 0; rank < kRanks; ++rank) {
            ProcessSpec spec;
            spec.arguments = m_program;
            spec.arguments.insert(
                spec.arguments.end(),
                {"fault-rank", m_folder / "ranks", std::to_string(rank), std::to_string(kRanks), m_moment});
            spec.environment = environmentWithout({});
            spec.endsWithParent = true;
            spec.errors = STDERR_FILENO;
            TRAINYARD_TRY(const pid_t process, startProcess(spec));
            m_alive[process] = rank;
        }
        return {};
    }

    /// The exit status of each rank, 128 + signal where one ended it; -1 of those that are still there.
    std::map<int, int> statuses()
    {
        std::map<int, int> ended;
        for (int rank = 0; rank < kRanks; ++rank)
            ended[rank] = -1;
        const auto deadline = Clock::now() + kPatience;
        while (!m_alive.empty() && Clock::now() < deadline) {
            for (auto at = m_alive.begin(); at != m_alive.end();) {
                int status = 0;
                const bool isOver = ::waitpid(at->first, &status, WNOHANG) == at->first;
                if (isOver)
                    ended[at->second] = shellStatus(status);
                at = isOver ? m_alive.erase(at) : std::next(at);
            }
            std::this_thread::sleep_for(std::chrono::milliseconds(20));
        }
        return ended;
    }

private:
    const std::vector<std::string> m_program;
    const fs::path m_folder;
    const std::string m_moment;
    std::map<pid_t, int> m_alive; ///< rank of each process
};

Status endsAs(const std::vector<std::string>& program, const std::string& moment, int statusOfLost,
              int statusOfOthers)
{
    LosingRanks ranks(program, moment);
    TRAINYARD_TRY_STATUS(ranks.start());
    for (const auto& [rank, status] : ranks.statuses()) {
        const int expected = rank == kRanks - 1 ? statusOfLost : statusOfOthers;
        if (status == -1)
            return failed(fmt::format("rank {} still waits after {} s", rank, kPatience.count()));
        if (status != expected)
            return failed(fmt::format("rank {} ended with status {} instead of {}", rank, status, expected));
    }
    return {};
}

} // namespace

void checkFaults(const std::vector<std::string>& program, CheckReport& report)
{
    report.beginGroup("faults");
    report.holds("no rank is lost", [&] { return endsAs(program, kNever, 0, 0); });
    for (const char* moment : {kBeforeInit, kBeforeFirst, kMidway})
        report.holds(fmt::format("a rank is killed {}: the others end with status 4", moment), [&] {
            return endsAs(program, moment, 128 + SIGKILL, exitStatus(ErrorKind::Unreachable));
        });
}

} // namespace trainyard
