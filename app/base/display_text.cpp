#include "app/base/display_text.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include <QCoreApplication>
#include <QTextDocument>
#include <array>

#include "engine/base/counted.h"
#include "engine/base/untrusted_text.h"

namespace trainyard {

namespace {

const QString kNone = QStringLiteral("–");
const QChar kGap(0x202f);

/// 1.2e-05 -> 1.2 × 10⁻⁵ would be pretty, but cannot be copied into a specification: the plain form stays.
QString significant(double value, int digits)
{
    QString text = QString::number(value, 'g', digits);
    text.replace(QLatin1String("e-0"), QLatin1String("e-"));
    text.replace(QLatin1String("e+0"), QLatin1String("e+"));
    return text;
}

} // namespace

QString displayNumber(double value)
{
    if (std::isnan(value))
        return kNone;
    if (std::fabs(value) < 1000 || !std::isfinite(value))
        return significant(value, 3);
    if (std::fabs(value) < 1e15)
        return displayCount(std::llround(value));
    return significant(value, 3);
}

QString displayLoss(double value)
{
    if (std::isnan(value))
        return kNone;
    const double size = std::fabs(value);
    if (size < 1e-3 || size >= 1e4)
        return significant(value, 4);
    // Trailing zeros stay: figures below each other keep their places.
    return QString::number(value, 'f', std::max(0, 3 - int(std::floor(std::log10(size)))));
}

QString displayLarge(double value)
{
    static constexpr std::pair<double, const char*> kWords[] = {
        {1e12, QT_TRANSLATE_NOOP("DisplayText", "%1 trillion")},
        {1e9, QT_TRANSLATE_NOOP("DisplayText", "%1 billion")},
        {1e6, QT_TRANSLATE_NOOP("DisplayText", "%1 million")}};
    for (const auto& [unit, text] : kWords) {
        if (value >= unit)
            return QCoreApplication::translate("DisplayText", text).arg(displayNumber(value / unit));
    }
    return displayNumber(value);
}

QString displayCount(qint64 value)
{
    QString digits = QString::number(std::llabs(value));
    for (qsizetype at = digits.size() - 3; at > 0; at -= 3)
        digits.insert(at, kGap);
    return value < 0 ? QStringLiteral("-") + digits : digits;
}

QString displayCounted(qint64 value, const char* noun)
{
    const auto count = static_cast<std::uint64_t>(std::max(value, qint64(0)));
    return displayCount(value) + QLatin1Char(' ') + QString::fromStdString(nounFor(count, noun));
}

QString displayUnit(qint64 value, const QString& unit)
{
    if (value != 1 || !unit.endsWith(QLatin1Char('s')))
        return unit;
    const bool hissing = unit.endsWith(QLatin1String("sses"));
    return unit.chopped(hissing ? 2 : 1);
}

QString displayBytes(double bytes)
{
    if (!std::isfinite(bytes) || bytes < 0)
        return kNone;
    return QString::fromStdString(formatBytes(static_cast<Bytes>(bytes)));
}

QString displaySeconds(double seconds)
{
    if (!std::isfinite(seconds) || seconds < 0)
        return kNone;
    if (seconds < 1e-9) // what rounding leaves of nothing
        seconds = 0;
    if (seconds > 0 && seconds < 0.001)
        return significant(seconds * 1e6, 3) + QStringLiteral(" µs");
    if (seconds < 1)
        return significant(seconds * 1e3, 3) + QStringLiteral(" ms");
    return QString::fromStdString(formatDuration(std::chrono::milliseconds(std::llround(seconds * 1e3))));
}

QString displayPercent(double share)
{
    return std::isfinite(share) ? QString::number(share * 100, 'f', 1) + QStringLiteral(" %") : kNone;
}

QString displayChange(double factor)
{
    constexpr double kManifold = 2;
    if (factor >= kManifold)
        return QStringLiteral("× ") + displayNumber(factor);
    const QString share = displayPercent(std::fabs(factor - 1));
    if (share == displayPercent(0))
        return QStringLiteral("=");
    return (factor > 1 ? QStringLiteral("+") : QStringLiteral("−")) + share;
}

QString displayAge(qint64 thenMs, qint64 nowMs)
{
    if (thenMs <= 0)
        return kNone;
    const qint64 seconds = (nowMs - thenMs) / 1000;
    if (seconds < 5)
        return QStringLiteral("just now");
    if (seconds < 60)
        return QStringLiteral("%1 s ago").arg(seconds);
    if (seconds < 3600)
        return QStringLiteral("%1 min ago").arg(seconds / 60);
    if (seconds < 24 * 3600)
        return QStringLiteral("%1 h ago").arg(seconds / 3600);
    return QDateTime::fromMSecsSinceEpoch(thenMs).toString(QStringLiteral("yyyy-MM-dd"));
}

QString displayTime(qint64 wallMs)
{
    return wallMs > 0 ? QDateTime::fromMSecsSinceEpoch(wallMs).toString(QStringLiteral("yyyy-MM-dd HH:mm:ss"))
                      : kNone;
}

QString oneLine(const QString& foreign)
{
    return QString::fromStdString(sanitizeText(foreign.toStdString(), Lines::One, kShownTextBytes));
}

QString toolTipOf(const QString& foreign)
{
    const QString text =
        QString::fromStdString(sanitizeText(foreign.toStdString(), Lines::Many, kShownTextBytes));
    return Qt::mightBeRichText(text) ? Qt::convertFromPlainText(text) : text;
}

QString asSentence(const QString& text)
{
    static const QStringList kNames{QStringLiteral("localhost"), QStringLiteral("mpirun"),
                                    QStringLiteral("srun"),      QStringLiteral("sbatch"),
                                    QStringLiteral("ssh"),       QStringLiteral("trainyard")};
    const QString first = text.section(QLatin1Char(' '), 0, 0);
    const bool isWord = std::all_of(first.begin(), first.end(), [](QChar c) { return c.isLower(); });
    return isWord && !kNames.contains(first) ? text.left(1).toUpper() + text.mid(1) : text;
}

QString displayError(const Error& error)
{
    return asSentence(QString::fromStdString(error.text()));
}

QString displayOperations(double perSecond)
{
    static constexpr std::array<std::pair<double, const char*>, 3> kPrefixes{
        {{1e15, " PFLOP/s"}, {1e12, " TFLOP/s"}, {1e9, " GFLOP/s"}}};
    for (const auto& [factor, unit] : kPrefixes) {
        if (perSecond >= factor)
            return displayNumber(perSecond / factor) + QLatin1String(unit);
    }
    return displayNumber(perSecond / 1e6) + QStringLiteral(" MFLOP/s");
}

bool hasAllWords(const QString& text, const QStringList& words)
{
    return std::all_of(words.begin(), words.end(),
                       [&](const QString& word) { return text.contains(word, Qt::CaseInsensitive); });
}

QString wrappedToolTip(const QString& text)
{
    const QString html = text.toHtmlEscaped().replace(QLatin1Char('\n'), QStringLiteral("<br>"));
    return QStringLiteral("<qt>%1</qt>").arg(html);
}

} // namespace trainyard
