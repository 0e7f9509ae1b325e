#include "app/models/prepare_options.h"

#include <map>

#include <QFileInfo>
#include <QRegularExpression>
#include <fmt/format.h>

namespace trainyard {

namespace {

constexpr int kSpecialTokens = 3; // [CLS] A [SEP] B [SEP]

class Checker {
public:
    void require(bool condition, const char* path, std::string message, std::string hint)
    {
        if (!condition)
            m_diagnostics.push_back({path, std::move(message), std::move(hint), ErrorKind::BadInput});
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

void checkPaths(const PrepareOptions& options, Checker& check)
{
    check.require(!options.dumps.isEmpty(), "dumps", "no dump is given",
                  "give at least one .xml or .xml.bz2 file");
    for (const QString& dump : options.dumps) {
        const bool known = dump.endsWith(QLatin1String(".xml")) || dump.endsWith(QLatin1String(".xml.bz2"));
        check.require(known, "dumps", fmt::format("\"{}\" is not a MediaWiki export", dump.toStdString()),
                      "use a file that ends in .xml or .xml.bz2");
        check.require(isAbsolute(dump), "dumps", fmt::format("\"{}\" is not a full path", dump.toStdString()),
                      "start it with /");
    }
    if (options.vocabulary == PrepareOptions::Vocabulary::File)
        check.require(isAbsolute(options.vocabularyFile), "vocabularyFile",
                      options.vocabularyFile.isEmpty() ? "is empty" : "is not a full path",
                      "give a vocabulary file, or train one on the dump");
    check.require(isAbsolute(options.outputFolder), "outputFolder",
                  options.outputFolder.isEmpty() ? "is empty" : "is not a full path",
                  "give a folder that does not exist yet, starting with /");
}

void checkSizes(const PrepareOptions& options, Checker& check)
{
    const auto within = [&](int value, int low, int high, const char* path) {
        check.require(value >= low && value <= high, path, fmt::format("is {}", value),
                      fmt::format("must be {} to {}", low, high));
    };
    if (options.vocabulary == PrepareOptions::Vocabulary::Train)
        within(options.vocabularySize, 100, 1'000'000, "vocabularySize");
    within(options.sequenceLength, 8, 65536, "sequenceLength");
    within(options.dupeFactor, 1, 1000, "dupeFactor");
    check.require(
        options.shards >= 2 && options.shards <= 65536, "shards", fmt::format("is {}", options.shards),
        "use at least 2, ideally a multiple of the number of ranks: the usual training scripts skip a "
        "lone shard");
    within(options.threads, 1, 1024, "threads");
    check.require(
        options.maxPredictions >= 1 && options.maxPredictions <= options.sequenceLength - kSpecialTokens,
        "maxPredictions",
        fmt::format("{} masked positions do not fit rows of {} tokens", options.maxPredictions,
                    options.sequenceLength),
        fmt::format("15 % of the length would be {}", std::max(1, options.sequenceLength * 15 / 100)));
}

/// The field of `options` that an option of the command fills; null for an option without one here.
int* numberOf(PrepareOptions& options, const QString& name)
{
    const std::map<QString, int*> fields{{"--train-vocab", &options.vocabularySize},
                                         {"--seq-len", &options.sequenceLength},
                                         {"--max-pred", &options.maxPredictions},
                                         {"--dupe", &options.dupeFactor},
                                         {"--shards", &options.shards},
                                         {"--threads", &options.threads}};
    const auto field = fields.find(name);
    return field == fields.end() ? nullptr : field->second;
}

/// False when there is no such option here, or its value is none.
bool take(PrepareOptions& options, const QString& name, const QString& value)
{
    bool ok = !value.isEmpty();
    if (name == QLatin1String("--vocab"))
        options.vocabularyFile = value;
    else if (name == QLatin1String("--out"))
        options.outputFolder = value;
    else if (name == QLatin1String("--seed"))
        options.seed = value.toULongLong(&ok);
    else if (int* number = numberOf(options, name))
        *number = value.toInt(&ok);
    else
        ok = false;
    if (name == QLatin1String("--train-vocab"))
        options.vocabulary = PrepareOptions::Vocabulary::Train;
    return ok;
}

} // namespace

Diagnostics validate(const PrepareOptions& options)
{
    Checker check;
    checkPaths(options, check);
    checkSizes(options, check);
    return check.take();
}

QStringList prepareArguments(const PrepareOptions& options)
{
    QStringList arguments = options.dumps;
    if (options.vocabulary == PrepareOptions::Vocabulary::File)
        arguments << QStringLiteral("--vocab") << options.vocabularyFile;
    else
        arguments << QStringLiteral("--train-vocab") << QString::number(options.vocabularySize);
    arguments << QStringLiteral("--out") << options.outputFolder;
    arguments << QStringLiteral("--seq-len") << QString::number(options.sequenceLength);
    arguments << QStringLiteral("--max-pred") << QString::number(options.maxPredictions);
    arguments << QStringLiteral("--dupe") << QString::number(options.dupeFactor);
    arguments << QStringLiteral("--shards") << QString::number(options.shards);
    arguments << QStringLiteral("--seed") << QString::number(options.seed);
    arguments << QStringLiteral("--threads") << QString::number(options.threads);
    return arguments;
}

std::optional<PrepareOptions> fromPrepareArguments(const QString& host, const QStringList& arguments)
{
    PrepareOptions options;
    options.host = host;
    for (qsizetype i = 0; i < arguments.size(); ++i) {
        if (!arguments[i].startsWith(QLatin1String("--")))
            options.dumps << arguments[i];
        else if (!take(options, arguments[i], arguments.value(i + 1)))
            return std::nullopt;
        else
            ++i;
    }
    return options;
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
