#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include <QByteArray>

#include "app/share/shared_run.h"
#include "engine/base/result.h"

namespace trainyard {

struct NamedSeries;

/// Runs as a folder of static files, which a web server or a double click on index.html opens: the page, and
/// its data as scripts (a page opened from a disk may not fetch anything else).
///
///     index.html, viewer.js, style.css     the page, the same for all shares
///     data/index.js                        what the runs are, and which curves they have
///     data/<run>.js                        the overviews of a run's curves
///     data/<run>-<curve>-<tile>.js         every point of a part of a long curve
///     data.json                            the last value of every metric of every run, for programs
///
/// Files are replaced atomically, the index last, so that a reader never sees half of a change.
class ShareFolder {
public:
    struct Options {
        bool hidesPlaces = false; ///< leaves out names of hosts and paths
        bool isLive = false;      ///< the page looks for news every few seconds
    };

    /// Creates the folder with the page in it, or continues a share that is there. BadInput when there is a
    /// folder with something else in it.
    static Result<ShareFolder> open(const std::filesystem::path& folder, const Options& options);

    /// Writes what has changed since the last call.
    Status write(const std::vector<SharedRun>& runs);
    /// The page stops looking for news with the next write().
    void setLive(bool isLive) { m_options.isLive = isLive; }

private:
    ShareFolder(std::filesystem::path folder, const Options& options);

    /// What is written of a curve. Its number is in the names of its tiles, and stays when curves appear
    /// before it.
    struct WrittenCurve {
        qsizetype number;
        qsizetype fullTiles = 0; ///< they need not be written again
    };
    struct WrittenRun {
        int rewrites = 0; ///< StepTable::rewrites() of what is written
        std::map<QString, WrittenCurve> curves{};
    };

    Status writePage();
    Status writeRun(const SharedRun& run, qsizetype number, QJsonObject& description);
    Status writeTiles(const NamedSeries& series, qsizetype run, WrittenCurve& curve);
    Status replace(const std::string& name, const QByteArray& content);
    WrittenCurve& curveOf(WrittenRun& run, const QString& name);

    std::filesystem::path m_folder;
    Options m_options;
    std::map<std::string, QByteArray> m_written; ///< hash of each file's content
    std::map<qsizetype, WrittenRun> m_runs;
};

} // namespace trainyard
