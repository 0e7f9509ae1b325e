#include "app/series/axis.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <vector>

#include <QDateTime>
#include <QLocale>

#include "app/base/display_text.h"

namespace trainyard {

namespace {

/// 1, 2 or 5 times a power of ten, not smaller than `step`.
double roundDecimal(double step)
{
    const double power = std::pow(10.0, std::floor(std::log10(step)));
    for (const double factor : {1.0, 2.0, 5.0}) {
        if (factor * power >= step * 0.999)
            return factor * power;
    }
    return 10 * power;
}

double roundSeconds(double step)
{
    constexpr std::array kSteps{1.,   2.,    5.,    10.,   15.,    30.,    60.,    120.,   300.,    600.,
                                900., 1800., 3600., 7200., 14400., 21600., 43200., 86400., 172800., 604800.};
    if (step < kSteps.front())
        return roundDecimal(step);
    const auto found = std::find_if(kSteps.begin(), kSteps.end(), [step](double s) { return s >= step; });
    return found == kSteps.end() ? std::ceil(step / kSteps.back()) * kSteps.back() : *found;
}

double roundStep(double step, Quantity quantity)
{
    switch (quantity) {
    case Quantity::Bytes:
        return std::exp2(std::ceil(std::log2(std::max(step, 1.0))));
    case Quantity::Seconds:
    case Quantity::Moment:
        return roundSeconds(step);
    case Quantity::Count:
        return std::max(1.0, roundDecimal(step));
    default:
        return roundDecimal(step);
    }
}

QList<double> evenTicks(double lower, double upper, double step)
{
    QList<double> ticks;
    const double slack = step * 1e-9;
    for (double n = std::ceil((lower - slack) / step); n * step <= upper + slack; ++n)
        ticks.append(n * step);
    return ticks;
}

QDateTime momentAt(double seconds)
{
    return QDateTime::fromMSecsSinceEpoch(std::llround(seconds * 1e3));
}

/// Round local times: ticks are as far from UTC's as local time is.
QList<double> momentTicks(double lower, double upper, double step)
{
    const double offset = momentAt(lower).offsetFromUtc();
    QList<double> ticks = evenTicks(lower + offset, upper + offset, step);
    for (double& tick : ticks)
        tick -= offset;
    return ticks;
}

/// As much of it as is not zero: the day at midnight, else the time.
QString shortMoment(double seconds)
{
    const QDateTime moment = momentAt(seconds);
    if (moment.time() == QTime(0, 0))
        return QLocale::c().toString(moment, QStringLiteral("d MMM"));
    return moment.toString(moment.time().second() == 0 ? QStringLiteral("HH:mm")
                                                       : QStringLiteral("HH:mm:ss"));
}

/// Powers of ten; where they are few, 2 and 5 times them as well.
QList<double> decadeTicks(double lower, double upper, int wanted)
{
    const double decades = std::log10(upper / lower);
    const int stride = std::max(1, int(std::ceil(decades / wanted)));
    const bool between = decades < wanted / 2.0;
    QList<double> ticks;
    for (int power = int(std::floor(std::log10(lower))); power <= int(std::ceil(std::log10(upper)));
         ++power) {
        for (const double factor : {1.0, 2.0, 5.0}) {
            const double tick = factor * std::pow(10.0, power);
            const bool fits = factor == 1.0 ? power % stride == 0 : between;
            if (fits && tick >= lower * 0.999999 && tick <= upper * 1.000001)
                ticks.append(tick);
        }
    }
    return ticks;
}

QString shortened(double value)
{
    struct Prefix {
        double factor;
        const char* letter;
    };
    constexpr std::array<Prefix, 4> kPrefixes{{{1e12, "T"}, {1e9, "G"}, {1e6, "M"}, {1e3, "k"}}};
    for (const Prefix& prefix : kPrefixes) {
        if (std::fabs(value) >= prefix.factor * 0.9999)
            return QString::number(value / prefix.factor, 'g', 4) + QLatin1String(prefix.letter);
    }
    QString text = QString::number(value, 'g', 4);
    return text.replace(QLatin1String("e-0"), QLatin1String("e-"));
}

QString shortSeconds(double seconds)
{
    const auto whole = std::llround(seconds);
    if (std::fabs(seconds) < 1)
        return QString::number(seconds * 1e3, 'g', 3) + QStringLiteral(" ms");
    if (seconds < 60)
        return QString::number(seconds, 'g', 3) + QStringLiteral(" s");
    if (whole < 3600)
        return whole % 60 == 0 ? QStringLiteral("%1 min").arg(whole / 60)
                               : QStringLiteral("%1:%2").arg(whole / 60).arg(whole % 60, 2, 10, QChar('0'));
    if (whole < 86400)
        return whole % 3600 == 0
                   ? QStringLiteral("%1 h").arg(whole / 3600)
                   : QStringLiteral("%1 h %2").arg(whole / 3600).arg(whole % 3600 / 60, 2, 10, QChar('0'));
    return QStringLiteral("%1 d").arg(QString::number(seconds / 86400, 'g', 3));
}

/// "512 MiB", not "512.00 MiB": ticks are round.
QString shortBytes(double bytes)
{
    const QString text = displayBytes(bytes);
    QString number = text.section(' ', 0, 0);
    if (number.contains('.')) {
        while (number.endsWith('0'))
            number.chop(1);
        if (number.endsWith('.'))
            number.chop(1);
    }
    return number + QLatin1Char(' ') + text.section(' ', 1);
}

} // namespace

QList<double> axisTicks(double lower, double upper, const TickDemand& demand)
{
    const int wanted = std::max(1, demand.wanted);
    if (demand.logarithmic && lower > 0) {
        QList<double> ticks = decadeTicks(lower, upper, wanted);
        for (int more = wanted + 1; ticks.size() < 2 && more <= 3 * wanted; ++more)
            ticks = decadeTicks(lower, upper, more);
        if (ticks.size() >= 2) // else less than a decade: no scale to read off
            return ticks;
    }
    // Of a step that is much longer than asked for there may be one multiple in the range, or none.
    QList<double> ticks;
    for (int intervals = wanted; ticks.size() < 2 && intervals <= 3 * wanted; ++intervals) {
        const double step = roundStep((upper - lower) / intervals, demand.quantity);
        ticks = demand.quantity == Quantity::Moment ? momentTicks(lower, upper, step)
                                                    : evenTicks(lower, upper, step);
    }
    return ticks;
}

QString tickText(double tick, Quantity quantity)
{
    if (std::fabs(tick) < 1e-15)
        return QStringLiteral("0");
    switch (quantity) {
    case Quantity::Number:
    case Quantity::Count:
        return shortened(tick);
    case Quantity::Bytes:
        return shortBytes(tick);
    case Quantity::Seconds:
        return shortSeconds(tick);
    case Quantity::Share:
        return QString::number(tick * 100, 'g', 4) + QStringLiteral(" %");
    case Quantity::Moment:
        return shortMoment(tick);
    }
    return {};
}

QString figureText(double value, Quantity quantity)
{
    switch (quantity) {
    case Quantity::Number:
        return std::fabs(value) < 1e3 ? displayLoss(value) : displayNumber(value);
    case Quantity::Count:
        return displayCount(std::llround(value));
    case Quantity::Bytes:
        return displayBytes(value);
    case Quantity::Seconds:
        return displaySeconds(value);
    case Quantity::Share:
        return displayPercent(value);
    case Quantity::Moment:
        return QLocale::c().toString(momentAt(value), QStringLiteral("d MMM HH:mm:ss"));
    }
    return {};
}

namespace {

constexpr double kRoom = 0.05; ///< of the range, left free above and below

/// Ranges are judged as they look, so a logarithmic axis is computed in logarithms.
struct Scale {
    bool logarithmic;
    double in(double value) const { return logarithmic ? std::log10(value) : value; }
    double out(double value) const { return logarithmic ? std::pow(10.0, value) : value; }
};

double percentile(std::vector<double>& values, double share)
{
    const auto at = values.begin() + std::ptrdiff_t(std::lround(share * double(values.size() - 1)));
    std::nth_element(values.begin(), at, values.end());
    return *at;
}

} // namespace

AxisRange axisRange(const QList<double>& values, const AxisDemand& demand, const QList<double>& kept)
{
    const Scale scale{demand.positiveOnly};
    std::vector<double> shown;
    shown.reserve(std::size_t(values.size()));
    qsizetype impossible = 0;
    for (const double value : values) {
        if (!std::isfinite(value))
            continue;
        if (demand.positiveOnly && value <= 0)
            ++impossible;
        else
            shown.push_back(scale.in(value));
    }
    if (shown.empty())
        return {demand.positiveOnly ? 0.1 : 0.0, 1.0, impossible};

    const auto [least, most] = std::minmax_element(shown.begin(), shown.end());
    double lower = *least;
    double upper = *most;
    if (demand.hideOutliers) {
        std::vector<double> scratch = shown;
        const double p5 = percentile(scratch, 0.05);
        const double p95 = percentile(scratch, 0.95);
        const double half = (p95 - p5) / 2;
        if (half > 0) { // else nearly all are equal, and every other point would be an outlier
            lower = std::max(lower, p5 - half);
            upper = std::min(upper, p95 + half);
        }
        for (const double value : kept) {
            if (!std::isfinite(value) || (demand.positiveOnly && value <= 0))
                continue;
            lower = std::min(lower, scale.in(value));
            upper = std::max(upper, scale.in(value));
        }
    }
    const auto outside = std::count_if(shown.begin(), shown.end(),
                                       [&](double value) { return value < lower || value > upper; });
    const double leastWidth = std::max(std::fabs(upper), 1e-12) * 1e-6;
    const double room =
        upper - lower > leastWidth ? (upper - lower) * kRoom : std::max(std::fabs(upper) * kRoom, 1e-12);
    return {scale.out(lower - room), scale.out(upper + room), impossible + outside};
}

} // namespace trainyard
