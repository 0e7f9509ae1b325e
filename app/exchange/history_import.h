#pragma once

#include <filesystem>
#include <memory>
#include <span>

#include <QList>
#include <QStringList>

#include "app/exchange/loaded_run.h"
#include "app/runs/run_database.h"

namespace trainyard {

class RunDatabase;
class StagedImport;

/// Makes runs of the history out of loaded ones, all of them or none: add() writes each into a hidden folder,
/// which may be done in another thread, and finish() lets all appear. What was added is taken back when this
/// ends before then, or when the program is killed.
class HistoryImport {
public:
    static Result<std::unique_ptr<HistoryImport>> begin(const std::filesystem::path& runsFolder);
    ~HistoryImport();

    Status add(const LoadedRun& run);
    /// In the thread of the history: the folders and entries of all runs appear. Gives their ids in the order
    /// in which they were added. When the history takes no entry, nothing is there.
    Result<QStringList> finish(RunDatabase& history);

private:
    explicit HistoryImport(std::unique_ptr<StagedImport> staged);

    std::unique_ptr<StagedImport> m_staged;
    QList<RunEntry> m_entries;
};

/// The same in one go.
Result<QStringList> importIntoHistory(RunDatabase& history, const std::filesystem::path& runsFolder,
                                      std::span<const LoadedRun> runs);

} // namespace trainyard
