#include "app/data/model/prepare_request.h"

#include <QRegularExpression>

#include "datasets/options/prepare_command_line.h"
#include "engine/spec/checker.h"

namespace trainyard {

namespace {

// Relative paths would mean the folder where the job happens to run on its host, so all must be absolute.

void checkDumps(const PrepareRequest& request, Checker& check)
{
    check.require(!request.dumps.empty(), "dumps", "no file is given", "give at least one file of text");
    for (const auto& dump : request.dumps) {
        const DumpPart part = partOf(dump);
        check.require(part.path.is_absolute(), "dumps",
                      fmt::format("\"{}\" is not a full path", dump.string()), "start it with /");
        check.require(part.reader.isEmpty() || request.readers.contains(part.reader), "dumps",
                      fmt::format("\"{}\" names a host that does not read", dump.string()),
                      "tick the host among those that read, or leave its name out");
    }
}

void checkPaths(const PrepareRequest& request, Checker& check)
{
    const auto problem = [](const std::filesystem::path& path) {
        return path.empty() ? "is empty" : "is not a full path";
    };
    const bool hasTokenizer = !request.tokenizer.empty();
    const bool trains = request.trainVocabulary > 0 || request.trainTokenizer > 0;
    check.require(trains || hasTokenizer || request.vocabulary.is_absolute(), "--vocab",
                  problem(request.vocabulary), "give a vocabulary file, or train one on the dump");
    check.require(!hasTokenizer || request.tokenizer.is_absolute(), "--tokenizer", "is not a full path",
                  "start it with /");
    check.require(request.out.is_absolute(), "--out", problem(request.out),
                  "give a folder that does not exist yet, starting with /");
    check.require(request.punkt.empty() || request.punkt.is_absolute(), "--punkt", problem(request.punkt),
                  "start it with /, or leave it empty for the built-in rules");
}

void checkTaskFiles(const PrepareRequest& request, Checker& check)
{
    check.require(!request.task.isOn() || request.readers.isEmpty(), "--task",
                  "cannot be shared by several hosts", "name one host: labelled files are small");
    for (const auto& file : request.task.heldOut)
        check.require(file.is_absolute(), "--held-out",
                      fmt::format("\"{}\" is not a full path", file.string()), "start it with /");
}

/// No host sees all the words when several read, and a host may read several inputs.
void checkTraining(const PrepareRequest& request, Checker& check)
{
    const std::uint64_t size = request.trainVocabulary, tokens = request.trainTokenizer;
    check.require((size == 0 && tokens == 0) || request.readers.isEmpty(), "vocabulary",
                  "a vocabulary cannot be trained while several hosts read",
                  "train it on one host first, and give its vocab.txt or tokenizer.json here");
    check.require(request.weights.empty() || request.readers.isEmpty(), "--weights",
                  "cannot be used while several hosts read",
                  "let one host read; or make documents of each input, and join them with --documents");
    check.require(size == 0 || (size >= 100 && size <= 1'000'000), "--train-vocab",
                  fmt::format("is {}", size), "must be 100 to 1000000");
    check.require(tokens == 0 || (tokens >= 300 && tokens <= 1'000'000), "--train-tokenizer",
                  fmt::format("is {}", tokens), "must be 300 to 1000000");
}

} // namespace

DumpPart partOf(const std::filesystem::path& dump)
{
    const QString text = QString::fromStdString(dump.string());
    const auto colon = text.indexOf(QLatin1Char(':'));
    if (dump.is_absolute() || colon < 0)
        return {{}, dump};
    return {text.left(colon), text.mid(colon + 1).toStdString()};
}

QStringList PrepareRequest::dataSetFolders() const
{
    QStringList folders;
    for (const RowShape& shape : shapes)
        folders << QString::fromStdString(folderOf(shape, out).string());
    return folders;
}

PrepareRequest withoutCorpusOptions(PrepareRequest request)
{
    const PrepareRequest usual;
    const std::uint64_t seed = request.instances.seed;
    request.readers.clear();
    request.format = usual.format;
    request.keepHeadings = usual.keepHeadings;
    request.keepLists = usual.keepLists;
    request.punkt.clear();
    request.trainVocabulary = 0;
    request.trainTokenizer = 0;
    request.instances = usual.instances;
    request.instances.seed = seed;
    request.shapes.resize(1);
    request.dupeFactor = usual.dupeFactor;
    request.weights.clear();
    request.extra = usual.extra;
    request.memoryBytes = usual.memoryBytes;
    request.threads = usual.threads;
    return request;
}

Diagnostics validate(const PrepareRequest& request)
{
    Diagnostics problems;
    Checker check(problems);
    checkDumps(request, check);
    checkPaths(request, check);
    checkTraining(request, check);
    checkTaskFiles(request, check);
    const Diagnostics others = problemsOf(request);
    problems.insert(problems.end(), others.begin(), others.end());
    return problems;
}

QStringList toStringList(const std::vector<std::string>& texts)
{
    QStringList list;
    for (const std::string& text : texts)
        list << QString::fromStdString(text);
    return list;
}

std::optional<PrepareRequest> requestOf(const QString& host, const QStringList& arguments)
{
    std::vector<std::string> texts;
    for (const QString& argument : arguments)
        texts.push_back(argument.toStdString());
    const auto options = fromPrepareArguments(std::move(texts));
    if (!options || !options->parts.empty())
        return std::nullopt;
    return PrepareRequest(host, *options);
}

QString jobName(const PrepareOptions& options)
{
    static const QRegularExpression unusable(QStringLiteral("[^A-Za-z0-9._-]+"));
    QString name = QString::fromStdString(options.out.filename().string())
                       .replace(unusable, QStringLiteral("-"))
                       .left(40);
    while (name.startsWith(QLatin1Char('-')) || name.startsWith(QLatin1Char('.')))
        name.remove(0, 1);
    return name.isEmpty() ? QStringLiteral("prepare") : name;
}

} // namespace trainyard
