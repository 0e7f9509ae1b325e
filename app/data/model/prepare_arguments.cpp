#include <QLocale>
#include <QRegularExpression>

#include "app/data/model/prepare_options.h"

namespace trainyard {

namespace {

// Each calls visit(option, member) for members that are one value of the command, so that writing and reading
// cannot drift apart.

template <typename Options, typename Visit>
void visitReadingValues(Options& options, Visit visit)
{
    visit("--format", options.format);
    visit("--profile", options.profile);
    visit("--memory", options.memory);
    visit("--threads", options.threads);
}

template <typename Options, typename Visit>
void visitReadingFlags(Options& options, Visit visit)
{
    visit("--headings", options.keepHeadings);
    visit("--lists", options.keepLists);
    visit("--cased", options.cased);
}

template <typename Options, typename Visit>
void visitValues(Options& options, Visit visit)
{
    visit("--out", options.outputFolder);
    visitReadingValues(options, visit);
    visit("--objective", options.objective);
    visit("--nsp", options.nextSentence);
    visit("--dupe", options.dupeFactor);
    visit("--seed", options.seed);
    visit("--shards", options.shards);
    visit("--test-shards", options.testShards);
    visit("--test-fraction", options.testFraction);
    visit("--name", options.shardName);
}

template <typename Options, typename Visit>
void visitFlags(Options& options, Visit visit)
{
    visitReadingFlags(options, visit);
    visit("--whole-word", options.wholeWords);
    visit("--provenance", options.provenance);
}

QString textOf(const QString& value)
{
    return value;
}

QString textOf(double value)
{
    return QString::number(value, 'g', QLocale::FloatingPointShortest);
}

template <typename Number>
QString textOf(Number value)
{
    return QString::number(value);
}

bool read(const QString& text, QString& value)
{
    value = text;
    return !text.isEmpty();
}

bool read(const QString& text, int& value)
{
    bool ok = false;
    value = text.toInt(&ok);
    return ok;
}

bool read(const QString& text, double& value)
{
    bool ok = false;
    value = text.toDouble(&ok);
    return ok;
}

/// A seed, or bytes, which people write as 512M or 2GiB too.
bool read(const QString& text, std::uint64_t& value)
{
    static const QRegularExpression sized(QStringLiteral("^([0-9]+) ?([kmgt]?)(?:i?b)?$"),
                                          QRegularExpression::CaseInsensitiveOption);
    const auto match = sized.match(text);
    bool ok = false;
    value = match.captured(1).toULongLong(&ok);
    for (int power = QStringLiteral("kmgt").indexOf(match.captured(2).toLower());
         !match.captured(2).isEmpty() && power >= 0; --power)
        value *= 1024;
    return ok;
}

/// Visitors that write arguments.
struct ValueWriter {
    QStringList& arguments;
    template <typename Value>
    void operator()(const char* option, const Value& value) const
    {
        arguments << QLatin1String(option) << textOf(value);
    }
};
struct FlagWriter {
    QStringList& arguments;
    void operator()(const char* option, bool set) const
    {
        if (set)
            arguments << QLatin1String(option);
    }
};

QString joined(const QList<RowShape>& shapes, int RowShape::*member)
{
    QStringList numbers;
    for (const RowShape& shape : shapes)
        numbers << QString::number(shape.*member);
    return numbers.join(QLatin1Char(','));
}

std::optional<QList<int>> numbersOf(const QString& text)
{
    QList<int> numbers;
    for (const QString& part : text.split(QLatin1Char(','))) {
        bool ok = false;
        numbers << part.toInt(&ok);
        if (!ok)
            return std::nullopt;
    }
    return numbers;
}

/// Everything but what is read.
QStringList settingsOf(const PrepareOptions& options)
{
    QStringList arguments;
    if (options.vocabulary == PrepareOptions::Vocabulary::File)
        arguments << QStringLiteral("--vocab") << options.vocabularyFile;
    else
        arguments << QStringLiteral("--train-vocab") << QString::number(options.vocabularySize);
    if (!options.punktFolder.isEmpty())
        arguments << QStringLiteral("--punkt") << options.punktFolder;
    visitValues(options, ValueWriter{arguments});
    visitFlags(options, FlagWriter{arguments});
    arguments << QStringLiteral("--seq-len") << joined(options.shapes, &RowShape::sequenceLength);
    arguments << QStringLiteral("--max-pred") << joined(options.shapes, &RowShape::maxPredictions);
    for (const auto& [set, format] : {std::pair{options.megatron, "megatron"}, {options.mds, "mds"}}) {
        if (set)
            arguments << QStringLiteral("--also") << QLatin1String(format);
    }
    return arguments;
}

/// The arguments of the command, taken one after the other.
class ArgumentReader {
public:
    explicit ArgumentReader(const QStringList& arguments) : m_arguments(arguments) {}

    std::optional<PrepareOptions> read(const QString& host)
    {
        m_options.host = host;
        while (m_next < m_arguments.size()) {
            const QString argument = m_arguments[m_next++];
            if (!argument.startsWith(QLatin1String("--")))
                m_options.dumps << argument;
            else if (!takeOption(argument))
                return std::nullopt;
        }
        if (m_lengths.size() != m_predictions.size())
            return std::nullopt;
        m_options.shapes.clear();
        for (qsizetype i = 0; i < m_lengths.size(); ++i)
            m_options.shapes.append({m_lengths[i], m_predictions[i]});
        return m_options;
    }

private:
    /// "--shards 8" and "--shards=8".
    bool takeOption(const QString& argument)
    {
        const auto equals = argument.indexOf(QLatin1Char('='));
        const QString name = argument.left(equals);
        bool known = false;
        visitFlags(m_options, [&](const char* option, bool& member) {
            if (name == QLatin1String(option))
                known = member = true;
        });
        if (known)
            return equals < 0;
        if (equals >= 0)
            return takeValue(name, argument.mid(equals + 1));
        return m_next < m_arguments.size() && takeValue(name, m_arguments[m_next++]);
    }

    bool takeValue(const QString& name, const QString& value)
    {
        bool taken = takeSpecial(name, value);
        visitValues(m_options, [&](const char* option, auto& member) {
            if (name == QLatin1String(option))
                taken = trainyard::read(value, member);
        });
        return taken;
    }

    /// Options that are more than one member.
    bool takeSpecial(const QString& name, const QString& value)
    {
        if (name == QLatin1String("--vocab"))
            return trainyard::read(value, m_options.vocabularyFile);
        if (name == QLatin1String("--punkt"))
            return trainyard::read(value, m_options.punktFolder);
        if (name == QLatin1String("--train-vocab")) {
            m_options.vocabulary = PrepareOptions::Vocabulary::Train;
            return trainyard::read(value, m_options.vocabularySize);
        }
        if (name == QLatin1String("--seq-len") || name == QLatin1String("--max-pred")) {
            const auto numbers = numbersOf(value);
            (name == QLatin1String("--seq-len") ? m_lengths : m_predictions) = numbers.value_or(QList<int>{});
            return numbers.has_value();
        }
        return name == QLatin1String("--also") && takeFormats(value);
    }

    bool takeFormats(const QString& value)
    {
        for (const QString& format : value.split(QLatin1Char(','))) {
            if (format != QLatin1String("megatron") && format != QLatin1String("mds"))
                return false;
            (format == QLatin1String("mds") ? m_options.mds : m_options.megatron) = true;
        }
        return true;
    }

    const QStringList& m_arguments;
    qsizetype m_next = 0;
    PrepareOptions m_options;
    QList<int> m_lengths{RowShape().sequenceLength};
    QList<int> m_predictions{RowShape().maxPredictions};
};

} // namespace

QStringList prepareArguments(const PrepareOptions& options)
{
    return options.dumps + settingsOf(options);
}

QStringList documentsArguments(const PrepareOptions& options, const QStringList& dumps, const QString& folder)
{
    QStringList arguments = dumps;
    arguments << QStringLiteral("--vocab") << options.vocabularyFile << QStringLiteral("--out") << folder;
    if (!options.punktFolder.isEmpty())
        arguments << QStringLiteral("--punkt") << options.punktFolder;
    visitReadingValues(options, ValueWriter{arguments});
    visitReadingFlags(options, FlagWriter{arguments});
    return arguments;
}

QStringList joinArguments(const PrepareOptions& options, const QStringList& folders)
{
    QStringList arguments;
    for (const QString& folder : folders)
        arguments << QStringLiteral("--documents") << folder;
    return arguments + settingsOf(options);
}

std::optional<PrepareOptions> fromPrepareArguments(const QString& host, const QStringList& arguments)
{
    return ArgumentReader(arguments).read(host);
}

} // namespace trainyard
