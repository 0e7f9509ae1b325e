#pragma once

#include <optional>

#include <QList>
#include <QString>
#include <QStringList>

#include "datasets/options/prepare_options.h"

namespace trainyard {

/// A preparation as the user asks for it: the options of the command, and the hosts that do the work.
struct PrepareRequest : PrepareOptions {
    /// With BERT's first phase.
    PrepareRequest() { shapes = {RowShape()}; }
    PrepareRequest(QString keptOn, PrepareOptions options)
        : PrepareOptions(std::move(options)), host(std::move(keptOn))
    {
    }

    QString host = QStringLiteral("localhost"); ///< keeps the data set
    /// Hosts that read the files, when it is not `host` alone. A file may name one of them:
    /// "gpu-03:/data/part2.xml.bz2".
    QStringList readers;

    bool operator==(const PrepareRequest&) const = default;

    /// With several shapes there is a data set for each, in a folder of its own below the output folder.
    QStringList dataSetFolders() const;
};

/// One of PrepareRequest::dumps.
struct DumpPart {
    QString reader; ///< the host that is to read it; empty = whichever
    std::filesystem::path path;
};
DumpPart partOf(const std::filesystem::path& dump);

/// Returns the request with all options that labelled examples have no use for at their defaults.
PrepareRequest withoutCorpusOptions(PrepareRequest request);

/// Returns everything wrong at once; the path of a diagnostic is the option, or "host", "dumps",
/// "vocabulary".
Diagnostics validate(const PrepareRequest& request);

QStringList toStringList(const std::vector<std::string>& texts);

/// Returns what a job that was launched on `host` with these arguments was asked to do; nullopt if they are
/// not arguments of `trainyard-prepare prepare` on files.
std::optional<PrepareRequest> requestOf(const QString& host, const QStringList& arguments);

/// A short name for the job: the last part of the output folder, with what cannot be in a run's name
/// replaced.
QString jobName(const PrepareOptions& options);

} // namespace trainyard
