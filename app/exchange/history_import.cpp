#include "app/exchange/history_import.h"

#include "app/runs/run_folder.h"
#include "app/runs/run_library.h"

namespace trainyard {

namespace fs = std::filesystem;

namespace {

/// The folders of an import; takes back those that were not kept.
class ImportedFolders {
public:
    explicit ImportedFolders(fs::path runsFolder) : m_runsFolder(std::move(runsFolder)) {}
    ~ImportedFolders()
    {
        std::error_code ignored;
        for (const QString& id : m_unkept)
            fs::remove_all(folderOf(id), ignored);
    }
    ImportedFolders(const ImportedFolders&) = delete;
    ImportedFolders& operator=(const ImportedFolders&) = delete;

    /// What the history says of the run, whose folder is there now.
    Result<RunEntry> add(const LoadedRun& run)
    {
        TRAINYARD_TRY(const QString id, writeImportedRun(m_runsFolder, run.import, run.series));
        m_unkept.append(id);
        TRAINYARD_TRY(const RecordedRun recorded,
                      readRunFolder(QString::fromStdString(folderOf(id).string())));
        RunEntry entry;
        updateEntry(entry, recorded.facts, recorded.series);
        return entry;
    }
    QStringList keep() { return std::exchange(m_unkept, {}); }

private:
    fs::path folderOf(const QString& id) const { return m_runsFolder / id.toStdString(); }

    fs::path m_runsFolder;
    QStringList m_unkept;
};

} // namespace

Result<QStringList> importIntoHistory(RunLibrary& history, const fs::path& runsFolder,
                                      std::span<const LoadedRun> runs, const QStringList& tags)
{
    ImportedFolders folders(runsFolder);
    QList<RunEntry> entries;
    for (const LoadedRun& run : runs) {
        auto entry = folders.add(run);
        if (!entry.ok())
            return entry.error().in("nothing was imported");
        entry->tags = tags;
        entries.append(*entry);
    }
    if (const Status stored = history.storeAll(entries); !stored.ok())
        return stored.error().in("nothing was imported");
    return folders.keep();
}

} // namespace trainyard
