#include "app/runs/run_query.h"

#include <algorithm>
#include <array>

#include <QDateTime>
#include <QObject>
#include <QRegularExpression>

#include "app/base/display_text.h"
#include "app/runs/run_database.h"
#include "app/runs/run_display_state.h"

namespace trainyard {

namespace {

struct Metric {
    const char* key;
    double (*value)(const RunEntry&);
};

constexpr std::array kMetrics{
    Metric{"loss", [](const RunEntry& e) { return e.loss; }},
    Metric{"held-out", [](const RunEntry& e) { return e.bestHeldOutLoss; }},
    Metric{"step", [](const RunEntry& e) { return double(e.step); }},
    Metric{"steps", [](const RunEntry& e) { return double(e.steps); }},
    Metric{"ranks", [](const RunEntry& e) { return double(e.worldSize); }},
    Metric{"seq/s", [](const RunEntry& e) { return e.sequencesPerSecond; }},
    Metric{"attempt", [](const RunEntry& e) { return double(e.attempt); }},
};

bool contains(const QString& text, const QString& word)
{
    return text.contains(word, Qt::CaseInsensitive);
}

bool anyContains(const QStringList& texts, const QString& word)
{
    return std::any_of(texts.begin(), texts.end(), [&](const QString& text) { return contains(text, word); });
}

/// The window once showed it for "finished", and people still search for it.
const QString kOldFinished = QStringLiteral("done");

/// Matches the state's name in the journal ("pending") and in the window ("queued").
bool hasState(const RunEntry& entry, const QString& word)
{
    return contains(toQString(nameOf(entry.state)), word) ||
           contains(wordOf(displayStateOf(entry.state)), word) ||
           (entry.state == RunState::Finished && contains(kOldFinished, word));
}

bool hasWord(const RunEntry& entry, const QString& word)
{
    return contains(entry.name, word) || contains(entry.id, word) || anyContains(entry.hosts, word) ||
           hasState(entry, word) || anyContains(entry.tags, word) || contains(entry.notes, word);
}

bool compare(double left, const QString& sign, double right)
{
    if (sign == QLatin1String("<"))
        return left < right;
    if (sign == QLatin1String("<="))
        return left <= right;
    if (sign == QLatin1String(">"))
        return left > right;
    if (sign == QLatin1String(">="))
        return left >= right;
    return sign == QLatin1String("!=") ? left != right : left == right;
}

/// Parses a day, month or year.
struct Period {
    QDate first;
    QDate behind; ///< the first day after it
};

Period periodFrom(const QString& text)
{
    if (const QDate day = QDate::fromString(text, QStringLiteral("yyyy-M-d")); day.isValid())
        return {day, day.addDays(1)};
    if (const QDate month = QDate::fromString(text, QStringLiteral("yyyy-M")); month.isValid())
        return {month, month.addMonths(1)};
    if (const QDate year = QDate::fromString(text, QStringLiteral("yyyy")); year.isValid())
        return {year, year.addYears(1)};
    return {};
}

qint64 startMs(const QDate& day)
{
    return day.startOfDay().toMSecsSinceEpoch();
}

/// Splits at blanks, except between quotation marks.
QStringList partsOf(const QString& text)
{
    QStringList parts;
    QString part;
    bool quoted = false;
    for (const QChar character : text + QLatin1Char(' ')) {
        if (character == QLatin1Char('"'))
            quoted = !quoted;
        if (!character.isSpace() || quoted) {
            part += character;
        } else if (!part.isEmpty()) {
            parts.append(part);
            part.clear();
        }
    }
    if (!part.isEmpty()) // of an open quotation
        parts.append(part.trimmed());
    return parts;
}

} // namespace

RunQuery::RunQuery(const QString& text)
{
    for (const QString& part : partsOf(text))
        add(part);
}

bool RunQuery::matches(const RunEntry& entry) const
{
    return (m_withArchived || !entry.isArchived) &&
           std::all_of(m_conditions.begin(), m_conditions.end(),
                       [&](const Condition& condition) { return condition(entry); });
}

void RunQuery::require(bool wanted, Condition condition)
{
    if (wanted)
        m_conditions.push_back(std::move(condition));
    else
        m_conditions.push_back(
            [condition = std::move(condition)](const RunEntry& entry) { return !condition(entry); });
}

void RunQuery::add(QString part)
{
    static const QRegularExpression comparison(
        QStringLiteral("^(loss|held-out|step|steps|ranks|seq/s|attempt)(<=|>=|!=|<|>|=)(.*)$"),
        QRegularExpression::CaseInsensitiveOption);
    static const QRegularExpression keyword(
        QStringLiteral("^(name|id|tag|state|host|notes|is|after|before|on):(.*)$"),
        QRegularExpression::CaseInsensitiveOption);
    const bool wanted = part.size() < 2 || !part.startsWith(QLatin1Char('-'));
    if (!wanted)
        part.remove(0, 1);
    part.remove(QLatin1Char('"'));
    if (const auto match = comparison.match(part); match.hasMatch()) {
        const auto metric = std::find_if(kMetrics.begin(), kMetrics.end(), [&](const Metric& f) {
            return match.captured(1).compare(QLatin1String(f.key), Qt::CaseInsensitive) == 0;
        });
        bool isNumber = false;
        const double number = match.captured(3).toDouble(&isNumber);
        if (!isNumber) {
            m_problem = QObject::tr("%1 needs a number, as in %1%2%3")
                            .arg(QLatin1String(metric->key), match.captured(2), QStringLiteral("2.5"));
            return;
        }
        require(wanted, [value = metric->value, sign = match.captured(2), number](const RunEntry& entry) {
            return compare(value(entry), sign, number);
        });
    } else if (const auto match = keyword.match(part); match.hasMatch()) {
        addKeyword(wanted, match.captured(1).toLower(), match.captured(2));
    } else {
        noteUnknownKey(part);
        require(wanted, [part](const RunEntry& entry) { return hasWord(entry, part); });
    }
}

/// The part is searched as a word all the same: a name may have a colon or a sign in it.
void RunQuery::noteUnknownKey(const QString& part)
{
    static const QRegularExpression alike(QStringLiteral("^([A-Za-z/-]+)(:|<=|>=|!=|<|>|=)"));
    if (const auto match = alike.match(part); match.hasMatch())
        m_problem =
            QObject::tr("\"%1\" is not a search key, so \"%2\" is searched as text (F1 lists the keys)")
                .arg(match.captured(1), part);
}

void RunQuery::addKeyword(bool wanted, const QString& key, const QString& value)
{
    if (value.isEmpty())
        return; // still being typed
    if (key == QLatin1String("name"))
        return require(wanted, [value](const RunEntry& e) { return contains(e.name, value); });
    if (key == QLatin1String("id"))
        return require(wanted, [value](const RunEntry& e) { return contains(e.id, value); });
    if (key == QLatin1String("tag"))
        return require(wanted,
                       [value](const RunEntry& e) { return e.tags.contains(value, Qt::CaseInsensitive); });
    if (key == QLatin1String("state"))
        return require(wanted, [value](const RunEntry& e) { return hasState(e, value); });
    if (key == QLatin1String("host"))
        return require(wanted, [value](const RunEntry& e) { return anyContains(e.hosts, value); });
    if (key == QLatin1String("notes"))
        return require(wanted, [value](const RunEntry& e) { return contains(e.notes, value); });
    if (key != QLatin1String("is"))
        return addDate(wanted, key, value);
    if (value.compare(QLatin1String("archived"), Qt::CaseInsensitive) == 0) {
        m_withArchived = m_withArchived || wanted;
        return require(wanted, [](const RunEntry& e) { return e.isArchived; });
    }
    if (value.compare(QLatin1String("imported"), Qt::CaseInsensitive) == 0)
        return require(wanted, [](const RunEntry& e) { return !e.importedFrom.isEmpty(); });
    m_problem = QObject::tr("use is:archived or is:imported, not is:%1").arg(value);
}

void RunQuery::addDate(bool wanted, const QString& key, const QString& value)
{
    const Period period = periodFrom(value);
    if (!period.first.isValid()) {
        m_problem = QObject::tr("%1: takes a day, month or year, as in %1:2026-11-01").arg(key);
        return;
    }
    const qint64 first = startMs(period.first);
    const qint64 behind = startMs(period.behind);
    if (key == QLatin1String("before"))
        return require(wanted, [first](const RunEntry& e) { return e.createdMs < first; });
    if (key == QLatin1String("after")) // the day itself too, as with the tools that people know
        return require(wanted, [first](const RunEntry& e) { return e.createdMs >= first; });
    require(wanted,
            [first, behind](const RunEntry& e) { return e.createdMs >= first && e.createdMs < behind; });
}

QString RunQuery::help()
{
    return QObject::tr("Words match name, id, hosts, state, tags and notes; \"two words\" as a phrase.\n"
                       "tag:paper  state:failed  host:gpu-01  name:bert  notes:warmup  id:3f2a\n"
                       "loss<2.5  held-out<2.5  step>=1000  ranks>1  seq/s>800  attempt>1\n"
                       "after:2026-11-01  before:2026-12  on:2026-11-20  (start, local time)\n"
                       "is:imported  is:archived  (archived runs are hidden otherwise)\n"
                       "-tag:broken  excludes matches");
}

} // namespace trainyard
