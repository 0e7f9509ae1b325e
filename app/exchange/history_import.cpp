#include "app/exchange/history_import.h"

#include "app/runs/recorded_run.h"
#include "app/runs/run_database.h"
#include "app/runs/staged_import.h"

namespace trainyard {

namespace fs = std::filesystem;

namespace {

constexpr auto kNothingImported = "nothing was imported";

} // namespace

HistoryImport::HistoryImport(std::unique_ptr<StagedImport> staged) : m_staged(std::move(staged)) {}
HistoryImport::~HistoryImport() = default;

Result<std::unique_ptr<HistoryImport>> HistoryImport::begin(const fs::path& runsFolder)
{
    auto staged = StagedImport::begin(runsFolder);
    if (!staged.ok())
        return staged.error().in(kNothingImported);
    return std::unique_ptr<HistoryImport>(new HistoryImport(std::move(staged).value()));
}

Status HistoryImport::add(const LoadedRun& run)
{
    const auto id = m_staged->add(run.import, run.series);
    if (!id.ok())
        return id.error().in(kNothingImported);
    const auto recorded = readRunFolder(QString::fromStdString(m_staged->folderOf(*id).string()));
    if (!recorded.ok())
        return recorded.error().in(kNothingImported);
    RunEntry entry;
    updateEntry(entry, recorded->facts, recorded->series);
    m_entries.append(entry);
    return {};
}

Result<QStringList> HistoryImport::finish(RunDatabase& history)
{
    Status done = m_staged->publish();
    if (done.ok())
        done = history.storeAll(m_entries);
    if (!done.ok()) {
        m_staged.reset(); // takes the folders back
        return done.error().in(kNothingImported);
    }
    m_staged->keep();
    QStringList ids;
    for (const RunEntry& entry : std::as_const(m_entries))
        ids.append(entry.id);
    return ids;
}

Result<QStringList> importIntoHistory(RunDatabase& history, const fs::path& runsFolder,
                                      std::span<const LoadedRun> runs)
{
    TRAINYARD_TRY(const auto import, HistoryImport::begin(runsFolder));
    for (const LoadedRun& run : runs)
        TRAINYARD_TRY_STATUS(import->add(run));
    return import->finish(history);
}

} // namespace trainyard
