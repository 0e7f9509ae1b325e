#pragma once

#include <cstdint>
#include <optional>

#include <QString>
#include <QStringList>

#include "engine/spec/diagnostic.h"

namespace trainyard {

/// What the user asks of `trainyard-prepare prepare`. Paths are those of the host that does the work.
struct PrepareOptions {
    enum class Vocabulary { File, Train };

    QString host = QStringLiteral("localhost");
    QStringList dumps; ///< MediaWiki exports, .xml or .xml.bz2
    Vocabulary vocabulary = Vocabulary::File;
    QString vocabularyFile;     ///< one WordPiece per line
    int vocabularySize = 30522; ///< entries, when one is trained
    QString outputFolder;       ///< must not exist yet
    int sequenceLength = 128;   ///< tokens per row
    int maxPredictions = 20;    ///< masked positions per row
    int dupeFactor = 5;         ///< passes over every document
    int shards = 8;             ///< files of equal rows
    std::uint64_t seed = 12345;
    int threads = 2;

    bool operator==(const PrepareOptions&) const = default;
};

/// Everything wrong at once; the path of a diagnostic is the name of the member. The limits are those of
/// `trainyard-prepare` (datasets/prepare/prepare_options.h).
Diagnostics validate(const PrepareOptions& options);

/// The arguments of `trainyard-prepare prepare`, as RunService::launchPrepare wants them. Requires valid
/// options.
QStringList prepareArguments(const PrepareOptions& options);

/// What a job that was launched on `host` with these arguments was asked to do. Nothing when they say
/// something that PrepareOptions cannot: the command line allows more.
std::optional<PrepareOptions> fromPrepareArguments(const QString& host, const QStringList& arguments);

/// A short name for the job: the last part of the output folder, with what cannot be in a run's name
/// replaced.
QString jobName(const PrepareOptions& options);

} // namespace trainyard
