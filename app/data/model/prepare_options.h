#pragma once

#include <cstdint>
#include <optional>

#include <QList>
#include <QString>
#include <QStringList>

#include "engine/base/units.h"
#include "engine/spec/diagnostic.h"

namespace trainyard {

/// Width of the rows of one data set.
struct RowShape {
    int sequenceLength = 128; ///< tokens per row
    int maxPredictions = 20;  ///< masked positions per row

    bool operator==(const RowShape&) const = default;
};

/// What the user asks of `trainyard-prepare prepare`, whose names of choices are used. Paths are those of the
/// host that does the work.
struct PrepareOptions {
    enum class Vocabulary { File, Train };

    QString host = QStringLiteral("localhost"); ///< keeps the data set
    QStringList readers; ///< hosts that read the parts of the dump, when it is not `host` alone
    QStringList dumps;   ///< in their order; "gpu-03:/data/part2.xml.bz2" is read by that host
    QString format = QStringLiteral("auto");
    bool keepHeadings = false; ///< as sentences of their own
    bool keepLists = false;
    QString punktFolder; ///< parameters of the sentence splitter; empty = the built-in rules
    Vocabulary vocabulary = Vocabulary::File;
    QString vocabularyFile;     ///< one WordPiece per line
    int vocabularySize = 30522; ///< entries, when one is trained
    bool cased = false;
    QString profile = QStringLiteral("hf"); ///< whose word pieces
    QString outputFolder;                   ///< must not exist yet
    QList<RowShape> shapes{{}};             ///< one data set each, out of one reading
    QString objective = QStringLiteral("bert");
    QString nextSentence = QStringLiteral("random");
    bool wholeWords = false;
    int dupeFactor = 5; ///< passes over every document
    std::uint64_t seed = 12345;
    int shards = 8; ///< for training, files of equal rows
    int testShards = 2;
    double testFraction = 0.1; ///< of the documents
    QString shardName = QStringLiteral("wikicorpus_en");
    bool provenance = false; ///< columns that tell where a row comes from
    bool megatron = false;   ///< also .bin and .idx
    bool mds = false;        ///< also MosaicML streaming shards
    Bytes memory = kGiB;     ///< that the process may use
    int threads = 0;         ///< 0 = one per core

    bool operator==(const PrepareOptions&) const = default;

    /// With several shapes there is a data set for each, in a folder of its own below the output folder.
    QStringList dataSetFolders() const;
};

/// One of PrepareOptions::dumps.
struct DumpPart {
    QString reader; ///< the host that is to read it; empty = whichever
    QString path;
};
DumpPart partOf(const QString& dump);

/// Everything wrong at once; the path of a diagnostic is the name of the member. The limits are those of
/// `trainyard-prepare` (datasets/prepare/prepare_options.h).
Diagnostics validate(const PrepareOptions& options);

/// The arguments of `trainyard-prepare prepare`, as RunService::launchData wants them. Requires valid
/// options.
QStringList prepareArguments(const PrepareOptions& options);

/// The arguments of `trainyard-prepare documents`, which reads these files of the corpus and leaves their
/// documents in `folder`.
QStringList documentsArguments(const PrepareOptions& options, const QStringList& dumps,
                               const QString& folder);
/// The arguments of `trainyard-prepare prepare` that makes the data set out of such folders, in the order of
/// the corpus.
QStringList joinArguments(const PrepareOptions& options, const QStringList& folders);

/// What a job that was launched on `host` with these arguments was asked to do. Nothing when they are not
/// arguments of `trainyard-prepare prepare` on a corpus.
std::optional<PrepareOptions> fromPrepareArguments(const QString& host, const QStringList& arguments);

/// A short name for the job: the last part of the output folder, with what cannot be in a run's name
/// replaced.
QString jobName(const PrepareOptions& options);

} // namespace trainyard
