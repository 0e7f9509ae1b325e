#include "app/data/model/prepare_options.h"

#include <algorithm>

#include <QFileInfo>
#include <QRegularExpression>
#include <QSet>
#include <fmt/format.h>

#include "engine/base/file.h"

namespace trainyard {

namespace {

constexpr int kSpecialTokens = 3; // [CLS] A [SEP] B [SEP]
constexpr Bytes kMinMemory = 128 * kMiB;

class Checker {
public:
    void require(bool condition, const char* path, std::string message, std::string hint)
    {
        if (!condition)
            m_diagnostics.push_back({path, std::move(message), std::move(hint), ErrorKind::BadInput});
    }
    void within(int value, int low, int high, const char* path)
    {
        require(value >= low && value <= high, path, fmt::format("is {}", value),
                fmt::format("must be {} to {}", low, high));
    }
    Diagnostics take() { return std::move(m_diagnostics); }

private:
    Diagnostics m_diagnostics;
};

/// Relative paths would mean the folder where the job happens to run on its host.
bool isAbsolute(const QString& path)
{
    return path.startsWith(QLatin1Char('/'));
}

void checkDumps(const PrepareOptions& options, Checker& check)
{
    check.require(!options.dumps.isEmpty(), "dumps", "no file is given", "give at least one file of text");
    for (const QString& dump : options.dumps) {
        const DumpPart part = partOf(dump);
        const std::string text = dump.toStdString();
        check.require(isAbsolute(part.path), "dumps", fmt::format("\"{}\" is not a full path", text),
                      "start it with /");
        check.require(part.reader.isEmpty() || options.readers.contains(part.reader), "dumps",
                      fmt::format("\"{}\" names a host that does not read", text),
                      "tick the host among those that read, or leave its name out");
    }
}

void checkPaths(const PrepareOptions& options, Checker& check)
{
    if (options.vocabulary == PrepareOptions::Vocabulary::File)
        check.require(isAbsolute(options.vocabularyFile), "vocabularyFile",
                      options.vocabularyFile.isEmpty() ? "is empty" : "is not a full path",
                      "give a vocabulary file, or train one on the dump");
    check.require(isAbsolute(options.outputFolder), "outputFolder",
                  options.outputFolder.isEmpty() ? "is empty" : "is not a full path",
                  "give a folder that does not exist yet, starting with /");
    check.require(options.punktFolder.isEmpty() || isAbsolute(options.punktFolder), "punktFolder",
                  "is not a full path", "start it with /, or leave it empty for the built-in rules");
}

/// No host sees all the words.
void checkReaders(const PrepareOptions& options, Checker& check)
{
    check.require(options.readers.isEmpty() || options.vocabulary == PrepareOptions::Vocabulary::File,
                  "vocabulary", "a vocabulary cannot be trained while several hosts read",
                  "train it on one host first, and give its vocab.txt here");
}

void checkShapes(const PrepareOptions& options, Checker& check)
{
    for (const RowShape& shape : options.shapes) {
        check.require(shape.sequenceLength >= 8 && shape.sequenceLength <= 65536, "shapes",
                      fmt::format("rows of {} tokens cannot be made", shape.sequenceLength),
                      "use 8 to 65536 tokens, usually 128 or 512");
        check.require(
            shape.maxPredictions >= 1 && shape.maxPredictions <= shape.sequenceLength - kSpecialTokens,
            "shapes",
            fmt::format("{} masked positions do not fit rows of {} tokens", shape.maxPredictions,
                        shape.sequenceLength),
            fmt::format("15 % of the length would be {}", std::max(1, shape.sequenceLength * 15 / 100)));
    }
    QSet<int> lengths;
    for (const RowShape& shape : options.shapes)
        lengths.insert(shape.sequenceLength);
    check.require(!lengths.isEmpty() && lengths.size() == options.shapes.size(), "shapes",
                  "a length is given twice", "give each length once");
}

void checkShards(const PrepareOptions& options, Checker& check)
{
    check.require(
        options.shards >= 2 && options.shards <= 65536, "shards", fmt::format("is {}", options.shards),
        "use at least 2, ideally a multiple of the number of ranks: the usual training scripts skip a "
        "lone shard");
    check.within(options.testShards, 1, 65536, "testShards");
    check.require(options.testFraction >= 0 && options.testFraction < 1, "testFraction",
                  fmt::format("is {}", options.testFraction), "must be 0 (no test shards) to 0.9");
    check.require(isPlainName(options.shardName.toStdString()) &&
                      !options.shardName.contains(QLatin1String("training")) &&
                      !options.shardName.contains(QLatin1String("test")),
                  "shardName",
                  fmt::format("\"{}\" cannot start the names of shards", options.shardName.toStdString()),
                  "use a plain word without \"training\" and \"test\", which tell the two kinds of shards "
                  "apart");
}

} // namespace

DumpPart partOf(const QString& dump)
{
    const auto colon = dump.indexOf(QLatin1Char(':'));
    if (isAbsolute(dump) || colon < 0)
        return {{}, dump};
    return {dump.left(colon), dump.mid(colon + 1)};
}

QStringList PrepareOptions::dataSetFolders() const
{
    if (shapes.size() < 2)
        return {outputFolder};
    QStringList folders;
    for (const RowShape& shape : shapes)
        folders << QStringLiteral("%1/seq%2").arg(outputFolder).arg(shape.sequenceLength);
    return folders;
}

Diagnostics validate(const PrepareOptions& options)
{
    Checker check;
    checkDumps(options, check);
    checkPaths(options, check);
    checkReaders(options, check);
    if (options.vocabulary == PrepareOptions::Vocabulary::Train)
        check.within(options.vocabularySize, 100, 1'000'000, "vocabularySize");
    checkShapes(options, check);
    check.within(options.dupeFactor, 1, 1000, "dupeFactor");
    checkShards(options, check);
    check.require(options.memory >= kMinMemory, "memory", "is less than 128 MiB",
                  "the buffers of reading and writing need more");
    check.within(options.threads, 0, 1024, "threads");
    return check.take();
}

QString jobName(const PrepareOptions& options)
{
    static const QRegularExpression unusable(QStringLiteral("[^A-Za-z0-9._-]+"));
    QString name = QFileInfo(options.outputFolder).fileName().replace(unusable, QStringLiteral("-")).left(40);
    while (name.startsWith(QLatin1Char('-')) || name.startsWith(QLatin1Char('.')))
        name.remove(0, 1);
    return name.isEmpty() ? QStringLiteral("prepare") : name;
}

} // namespace trainyard
