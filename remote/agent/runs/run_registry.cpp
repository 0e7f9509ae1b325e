#include "remote/agent/runs/run_registry.h"

#include <algorithm>

#include <fmt/format.h>
#include <unistd.h>

#include "engine/base/file.h"
#include "engine/base/standard_streams.h"
#include "remote/agent/host/process_table.h"
#include "remote/agent/host/publish.h"
#include "remote/agent/runs/recovery.h"

namespace trainyard::agent {

namespace fs = std::filesystem;

namespace {

constexpr const char* kRemoved = ".removed-"; // in the hidden name of a run that is being taken apart

Status fill(const RunFolder& folder, const NewRun& run, const RunWork& work)
{
    for (const fs::path& part :
         {folder.journal(), folder.ranks(), folder.control(), folder.attempts(), folder.checkpoints()})
        TRAINYARD_TRY_STATUS(makeFolder(part));
    TRAINYARD_TRY_STATUS(writeFileAtomically(workFile(folder, run.kind), run.work));
    TRAINYARD_TRY_STATUS(writeFileAtomically(folder.inventory(), run.inventory));
    RunStatus status;
    status.steps = work.steps;
    return writeStatus(folder, status, Durability::Durable);
}

RunSummary summaryOf(const RunFolder& folder)
{
    RunSummary summary;
    summary.run = folder.run();
    summary.name = folder.run();
    summary.kind = kindOf(folder);
    if (const auto work = loadWork(folder); work.ok() && !work->name.empty())
        summary.name = work->name;
    summary.status = readStatus(folder).value_or(RunStatus{});
    summary.live = isLive(folder);
    return summary;
}

void putRight(const RunFolder& folder)
{
    if (const auto recovered = recoverIfAbandoned(folder); !recovered.ok())
        printError("trainyard-agent", recovered.error().in(folder.run()));
}

} // namespace

Result<RunFolder> RunRegistry::folder(const std::string& run) const
{
    if (!isSafeName(run))
        return badInput(fmt::format("\"{}\" is not a valid run name", run.substr(0, 200)),
                        "letters, digits, '.', '_' and '-', at most 128, not starting with '.' or '-'");
    return RunFolder(m_root, run);
}

Result<RunFolder> RunRegistry::existing(const std::string& run) const
{
    TRAINYARD_TRY(const RunFolder found, folder(run));
    if (!found.exists())
        return badInput("there is no run " + run + " below " + m_root.string());
    return found;
}

Result<bool> RunRegistry::create(const NewRun& run) const
{
    TRAINYARD_TRY(const RunFolder target, folder(run.run));
    TRAINYARD_TRY(const RunWork work, parseWork(run.kind, run.work));
    TRAINYARD_TRY_STATUS(makeFolder(target.path().parent_path()));
    TRAINYARD_TRY(const bool created, publishFolder(target.path(), [&](const fs::path& temporary) {
                      return fill(RunFolder(temporary), run, work);
                  }));
    if (created)
        return true;
    const auto present = readFile(workFile(target, run.kind));
    if (!present.ok() || *present != run.work)
        return refused("another run is already called " + run.run, "choose another run id");
    TRAINYARD_TRY_STATUS(writeFileAtomically(target.inventory(), run.inventory));
    return false;
}

std::vector<RunSummary> RunRegistry::list(Abandoned abandoned) const
{
    std::vector<RunSummary> runs;
    std::error_code ignored;
    for (const auto& entry : fs::directory_iterator(m_root / "runs", ignored)) {
        const RunFolder folder(entry.path());
        if (!isSafeName(folder.run()) || !folder.exists())
            continue;
        if (abandoned == Abandoned::PutRight)
            putRight(folder);
        runs.push_back(summaryOf(folder));
    }
    std::sort(runs.begin(), runs.end(), [](const auto& a, const auto& b) { return a.run < b.run; });
    return runs;
}

/// What a killed agent was taking apart; no run can have such a name.
void RunRegistry::clearRemoved() const
{
    std::error_code ignored;
    for (const auto& entry : fs::directory_iterator(m_root / "runs", ignored)) {
        const std::string name = entry.path().filename().string();
        if (name.starts_with('.') && name.find(kRemoved) != std::string::npos)
            fs::remove_all(entry.path(), ignored);
    }
}

Result<bool> RunRegistry::remove(const std::string& run) const
{
    TRAINYARD_TRY(const RunFolder target, folder(run));
    clearRemoved();
    if (!target.exists())
        return false;
    TRAINYARD_TRY([[maybe_unused]] const bool recovered, recoverIfAbandoned(target));
    if (isLive(target) || !processesWithEnvironment(target.marker()).empty())
        return refused("the run " + run + " is still active", "stop it first");
    // Out of sight in one instant; taking it apart may take long.
    const fs::path doomed = target.path().parent_path() / fmt::format(".{}{}{}", run, kRemoved, ::getpid());
    if (::rename(target.path().c_str(), doomed.c_str()) != 0)
        return systemError(ErrorKind::Failed, "cannot remove " + target.path().string(), errno);
    std::error_code error;
    fs::remove_all(doomed, error);
    if (error)
        return failed("cannot remove all of " + doomed.string() + ": " + error.message());
    return true;
}

} // namespace trainyard::agent
