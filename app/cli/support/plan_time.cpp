#include "app/cli/support/plan_time.h"

#include <algorithm>
#include <cmath>

#include "app/base/display_text.h"
#include "app/cli/support/console.h"
#include "engine/base/units.h"

namespace trainyard {

namespace {

constexpr double kWorthTelling = 0.005; ///< of a step

QString nameOfCause(std::size_t cause)
{
    return toQString(nameOf(static_cast<StepCause>(cause)));
}

/// A prediction of billions is no better than that.
double toThreeDigits(double value)
{
    const double unit = std::pow(10, std::floor(std::log10(std::max(value, 1.0))) - 2);
    return std::round(value / unit) * unit;
}

QString secondsText(double seconds)
{
    return seconds < 1 ? console::number(1000 * seconds) + " ms" : console::number(seconds) + " s";
}

/// "213 ms", of calibrated nodes "213 ms (190 ms to 240 ms)".
QString stepText(const PlannedTime& time)
{
    const QString expected = secondsText(time.step.seconds);
    const auto band = time.band();
    return band ? QString("%1 (%2 to %3)").arg(expected, secondsText(band->least), secondsText(band->most))
                : expected;
}

} // namespace

void addHardware(QJsonObject& json, const NodeModel& node)
{
    json["hardware"] = QString::fromStdString(node.name);
    if (node.calibration)
        json["error_band"] = node.calibration->errorBand;
}

void printHardware(const NodeModel& node)
{
    console::print("on " + QString::fromStdString(node.name) +
                   (node.description.empty() ? QString() : ": " + QString::fromStdString(node.description)));
    if (!node.calibration)
        return;
    const TimeBand band = node.calibration->bandOf(1);
    console::print(QString("a step takes %1 to %2 times as long as predicted (calibrated on %3)")
                       .arg(band.least, 0, 'f', 2)
                       .arg(band.most, 0, 'f', 2)
                       .arg(QString::fromStdString(node.calibration->date)));
}

QJsonObject toJson(const PlannedTime& time)
{
    QJsonObject causes;
    for (std::size_t i = 0; i < kStepCauses; ++i)
        causes[nameOfCause(i)] = time.step.byCause[i];
    QJsonObject json{{"step_seconds", time.step.seconds},
                     {"step_seconds_by_cause", causes},
                     {"sequences_per_second", time.stats.sequencesPerSecond},
                     {"tokens_per_day", time.stats.tokensPerDay()},
                     {"model_flops_utilization", time.stats.modelUtilization},
                     {"hardware_flops_utilization", time.stats.hardwareUtilization},
                     {"training_days", time.training.days}};
    if (time.training.cost > 0) {
        json["training_cost"] = time.training.cost;
        json["currency"] = QString::fromStdString(time.node.price.currency);
        json["price_date"] = QString::fromStdString(time.node.price.date);
    }
    addHardware(json, time.node);
    if (const auto band = time.band()) {
        json["step_seconds_least"] = band->least;
        json["step_seconds_most"] = band->most;
    }
    return json;
}

QList<QStringList> rowsOf(const PlannedTime& time)
{
    QList<QStringList> rows{{"hardware", QString::fromStdString(time.node.name)},
                            {"time per step", stepText(time)}};
    for (std::size_t i = 0; i < kStepCauses; ++i) {
        const double share = time.step.byCause[i] / time.step.seconds;
        if (share >= kWorthTelling)
            rows << QStringList{nameOfCause(i), console::percent(share)};
    }
    rows << QStringList{"sequences per second", console::number(time.stats.sequencesPerSecond)}
         << QStringList{"tokens per day", console::number(toThreeDigits(time.stats.tokensPerDay()))}
         << QStringList{"model FLOP utilisation (MFU)", console::percent(time.stats.modelUtilization)}
         << QStringList{"hardware FLOP utilisation (HFU)", console::percent(time.stats.hardwareUtilization)}
         << QStringList{"days for all steps", console::number(time.training.days)};
    if (time.training.cost > 0)
        rows << QStringList{"cost of all steps", QString("%1 %2 (prices of %3)")
                                                     .arg(console::number(time.training.cost))
                                                     .arg(QString::fromStdString(time.node.price.currency))
                                                     .arg(QString::fromStdString(time.node.price.date))};
    else
        rows << QStringList{"cost of all steps",
                            "unknown: the nodes do not all have a price in one currency"};
    return rows;
}

} // namespace trainyard
