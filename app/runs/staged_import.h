#pragma once

#include <filesystem>
#include <memory>
#include <optional>
#include <span>
#include <string>

#include <QStringList>

#include "app/runs/imported_run.h"
#include "engine/base/lock_file.h"
#include "engine/base/result.h"

namespace trainyard {

/// The runs of one import, moved into the folder of runs together: all of them appear there or, however the
/// program ends, none. They are written into a hidden folder, which one rename marks as complete:
///     runs/.import-1f2e3d4c/<id>     being written; removed when the program ends before the rename
///     runs/.imported-1f2e3d4c/<id>   complete; moved to runs/<id>, if need be by the next start
/// A lock in the folder shows that its program is running. Any thread, one at a time.
class StagedImport {
public:
    /// Creates `runsFolder` and in it the hidden folder.
    static Result<std::unique_ptr<StagedImport>> begin(const std::filesystem::path& runsFolder);
    StagedImport(const StagedImport&) = delete;
    StagedImport& operator=(const StagedImport&) = delete;
    /// Removes everything unless keep() was called.
    ~StagedImport();

    /// Writes one more run and returns its id.
    Result<QString> add(const RunImport& import, std::span<const PointSeries> series);
    /// Returns the run's folder before publish().
    std::filesystem::path folderOf(const QString& id) const;
    /// Moves all runs to `runsFolder`/<id>. After an error none is there.
    Status publish();
    /// Makes the published runs permanent.
    void keep();

private:
    StagedImport(std::filesystem::path runsFolder, std::string name, LockFile lock);
    void takeBack();

    std::filesystem::path m_runsFolder;
    std::string m_name; ///< apart from its prefix
    bool m_isComplete = false;
    QStringList m_ids;
    std::optional<LockFile> m_lock; ///< nullopt once kept or removed
};

/// Finishes the imports in `runsFolder` of killed programs: publishes complete ones and removes others. What
/// fails now is left for the next call.
void endInterruptedImports(const std::filesystem::path& runsFolder);

} // namespace trainyard
