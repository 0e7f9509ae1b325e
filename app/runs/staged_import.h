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

/// The runs of one import on their way into the folder of runs: all of them appear there or, however the
/// program ends, none. They are written into a hidden folder, which one rename declares complete:
///     runs/.import-1f2e3d4c/<id>     being written; removed when the program ends before the rename
///     runs/.imported-1f2e3d4c/<id>   complete; moved to runs/<id>, if need be by the next start
/// A lock in the folder says that its program is at work. Any thread, one at a time.
class StagedImport {
public:
    /// Makes `runsFolder` and in it the hidden folder.
    static Result<std::unique_ptr<StagedImport>> begin(const std::filesystem::path& runsFolder);
    StagedImport(const StagedImport&) = delete;
    StagedImport& operator=(const StagedImport&) = delete;
    /// Takes everything back unless keep() was called.
    ~StagedImport();

    /// Writes one more run and gives its id.
    Result<QString> add(const RunImport& import, std::span<const PointSeries> series);
    /// Where the run is before publish().
    std::filesystem::path folderOf(const QString& id) const;
    /// Moves all runs to `runsFolder`/<id>. After an error none is there.
    Status publish();
    /// They stay.
    void keep();

private:
    StagedImport(std::filesystem::path runsFolder, std::string name, LockFile lock);
    void takeBack();

    std::filesystem::path m_runsFolder;
    std::string m_name; ///< apart from its prefix
    bool m_isComplete = false;
    QStringList m_ids;
    std::optional<LockFile> m_lock; ///< nullopt once kept or taken back
};

/// Ends the imports in `runsFolder` that programs left when they were killed: complete ones appear, others
/// are removed. What cannot be ended now stays for the next call.
void endInterruptedImports(const std::filesystem::path& runsFolder);

} // namespace trainyard
