#include "app/runs/staged_import.h"

#include <cerrno>
#include <cstdio>
#include <utility>
#include <vector>

#include <QRandomGenerator>

#include "engine/base/locked_folder.h"

namespace trainyard {

namespace fs = std::filesystem;

namespace {

constexpr std::string_view kBeingWritten = ".import-";
constexpr std::string_view kComplete = ".imported-";

fs::path stagingFolder(const fs::path& runsFolder, std::string_view prefix, const std::string& name)
{
    return runsFolder / (std::string(prefix) + name);
}

Status moveFolder(const fs::path& from, const fs::path& to)
{
    // rename() fails if the target folder is not empty, so no run is lost.
    if (::rename(from.c_str(), to.c_str()) != 0)
        return systemError(ErrorKind::Failed, "cannot move " + from.string() + " to " + to.string(), errno);
    return {};
}

Status moveRuns(const fs::path& staging, const fs::path& runsFolder)
{
    for (const fs::path& run : folderEntries(staging))
        TRAINYARD_TRY_STATUS(moveFolder(run, runsFolder / run.filename()));
    return syncPath(runsFolder);
}

void endInterruptedImport(const fs::path& staging, bool isComplete)
{
    const auto lock = lockLeftFolder(staging);
    if (lock && (!isComplete || moveRuns(staging, staging.parent_path()).ok()))
        removeLockedFolder(staging);
}

} // namespace

Result<std::unique_ptr<StagedImport>> StagedImport::begin(const fs::path& runsFolder)
{
    TRAINYARD_TRY_STATUS(makeFolder(runsFolder));
    const std::string name = QString::number(QRandomGenerator::system()->generate(), 16).toStdString();
    const fs::path staging = stagingFolder(runsFolder, kBeingWritten, name);
    TRAINYARD_TRY(auto lock, lockFolder(staging));
    if (!lock)
        return refused("another import uses " + staging.string(), "try again");
    return std::unique_ptr<StagedImport>(new StagedImport(runsFolder, name, std::move(*lock)));
}

StagedImport::StagedImport(fs::path runsFolder, std::string name, LockFile lock)
    : m_runsFolder(std::move(runsFolder)), m_name(std::move(name)), m_lock(std::move(lock))
{
}

StagedImport::~StagedImport()
{
    if (m_lock)
        takeBack();
}

fs::path StagedImport::folderOf(const QString& id) const
{
    return stagingFolder(m_runsFolder, kBeingWritten, m_name) / id.toStdString();
}

Result<QString> StagedImport::add(const RunImport& import, std::span<const PointSeries> series)
{
    TRAINYARD_TRY(const QString id,
                  writeImportedRun(stagingFolder(m_runsFolder, kBeingWritten, m_name), import, series));
    std::error_code ignored;
    if (fs::exists(m_runsFolder / id.toStdString(), ignored))
        return failed("there is a run " + id.toStdString() + " already",
                      "try again: its number is drawn by chance");
    m_ids.append(id);
    return id;
}

Status StagedImport::publish()
{
    const fs::path complete = stagingFolder(m_runsFolder, kComplete, m_name);
    TRAINYARD_TRY_STATUS(moveFolder(stagingFolder(m_runsFolder, kBeingWritten, m_name), complete));
    m_isComplete = true;
    Status moved = syncPath(m_runsFolder);
    if (moved.ok())
        moved = moveRuns(complete, m_runsFolder);
    if (!moved.ok())
        takeBack();
    return moved;
}

void StagedImport::keep()
{
    removeLockedFolder(stagingFolder(m_runsFolder, m_isComplete ? kComplete : kBeingWritten, m_name));
    m_lock.reset();
}

/// Undoes publish() step by step in reverse order, so that after a kill either all runs or none are there.
void StagedImport::takeBack()
{
    const fs::path staging = stagingFolder(m_runsFolder, kBeingWritten, m_name);
    if (std::exchange(m_isComplete, false)) {
        const fs::path complete = stagingFolder(m_runsFolder, kComplete, m_name);
        std::error_code ignored;
        for (const QString& id : std::as_const(m_ids))
            fs::rename(m_runsFolder / id.toStdString(), complete / id.toStdString(), ignored);
        fs::rename(complete, staging, ignored);
    }
    removeLockedFolder(staging);
    m_lock.reset();
}

void endInterruptedImports(const fs::path& runsFolder)
{
    for (const fs::path& folder : folderEntries(runsFolder)) {
        const std::string name = folder.filename().string();
        if (name.starts_with(kBeingWritten) || name.starts_with(kComplete))
            endInterruptedImport(folder, name.starts_with(kComplete));
    }
}

} // namespace trainyard
