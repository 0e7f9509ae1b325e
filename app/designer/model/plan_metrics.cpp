#include "app/designer/model/plan_metrics.h"

#include <algorithm>
#include <cmath>
#include <map>

#include <QObject>
#include <QStringList>

#include "app/base/display_text.h"
#include "engine/planner/layout/parameter_parts.h"
#include "engine/spec/field_changes.h"
#include "engine/spec/phases/batch_ramp.h"

namespace trainyard {

namespace {

using Better = PlanMetric::Better;

PlanMetric countMetric(const char* name, double amount, const char* unit, const char* formula)
{
    return {QObject::tr(name),
            displayLarge(amount),
            displayCount(std::llround(amount)) + QLatin1Char(' ') + QObject::tr(unit),
            amount,
            Better::Neither,
            QObject::tr(formula)};
}

/// Returns the smallest known capacity of a host; if the run fits, among the hosts that can hold its fullest
/// rank.
std::optional<Bytes> leastRoom(const PlannedRun& plan)
{
    std::optional<Bytes> least;
    for (const HostMemory& host : plan.hosts) {
        const auto room = host.capacity();
        if (room && (!plan.fits() || host.fits(plan.memory.need())))
            least = std::min(least.value_or(*room), *room);
    }
    return least;
}

/// Formats "10.8 of 80.0 GiB", with the unit once if it is the same.
QString memoryText(double bytes, const std::optional<Bytes>& room)
{
    QString text = displayBytes(bytes);
    if (!room)
        return text;
    const QString all = displayBytes(static_cast<double>(*room));
    if (text.section(QLatin1Char(' '), 1) == all.section(QLatin1Char(' '), 1))
        text = text.section(QLatin1Char(' '), 0, 0);
    return QObject::tr("%1 of %2").arg(text, all);
}

const char* const kMemoryFormula = QT_TRANSLATE_NOOP(
    "PlanMetrics", "States to the byte; activations tensor by tensor, as in Korthikanti et al., "
                   "arXiv:2205.05198, table 2; sharding as in Rajbhandari et al., arXiv:1910.02054 (ZeRO).");

/// Adds the memory metrics. If ranks compute in device memory, offloaded bytes are a separate metric.
void addMemoryMetrics(std::vector<PlanMetric>& metrics, const PlannedRun& plan)
{
    const bool onDevices = std::ranges::any_of(plan.hosts, &HostMemory::onDevices);
    const auto held = static_cast<double>(onDevices ? plan.memory.onDevice() : plan.memory.total());
    const auto offloaded = static_cast<double>(plan.memory.total()) - held;
    metrics.push_back({QObject::tr("Memory"), memoryText(held, leastRoom(plan)),
                       QObject::tr("%1 bytes at the peak of a step, on the fullest rank")
                           .arg(displayCount(std::llround(held))),
                       held, Better::Lower, QObject::tr(kMemoryFormula)});
    if (offloaded > 0)
        metrics.push_back(
            {QObject::tr("Offloaded"), displayBytes(offloaded),
             QObject::tr("%1 bytes more in host memory").arg(displayCount(std::llround(offloaded))),
             offloaded, Better::Lower, QObject::tr(kMemoryFormula)});
}

PlanMetric stepMetric(const PlannedTime& time)
{
    const double seconds = time.step.seconds;
    PlanMetric metric{
        QObject::tr("Step time"),
        displaySeconds(seconds),
        QObject::tr("%1 s per optimizer step").arg(seconds, 0, 'g', 6),
        seconds,
        Better::Lower,
        QObject::tr("Matrix products by tiles and waves, everything else by memory bandwidth, collectives by "
                    "tables of link speed by size; the schedule is simulated action by action.")};
    if (const auto& calibration = time.node.calibration) {
        const TimeBand band = calibration->bandOf(seconds);
        metric.value += QObject::tr(" ± %1").arg(displayPercent(calibration->errorBand));
        metric.details +=
            QObject::tr("; between %1 and %2, as calibrated on %3")
                .arg(displaySeconds(band.least), displaySeconds(band.most), toQString(calibration->date));
    }
    return metric;
}

PlanMetric shareMetric(const char* name, const char* details, double share, const char* formula)
{
    return {QObject::tr(name), displayPercent(share), QObject::tr(details), share,
            Better::Higher,    QObject::tr(formula)};
}

const char* const kOperationsFormula =
    QT_TR_NOOP("Operations per step as in Korthikanti et al., arXiv:2205.05198, "
               "equations 7 and 8, divided by step time and peak.");

PlanMetric daysMetric(const RunSpec& spec, const TrainingEffort& training)
{
    return {QObject::tr("Total time"),
            displaySeconds(training.days * 86400),
            QObject::tr("%1 days for %2 steps, without pauses and checkpoints")
                .arg(training.days, 0, 'g', 6)
                .arg(displayCount(spec.launch.steps)),
            training.days,
            Better::Lower,
            QObject::tr("Steps × step time.")};
}

/// Returns the price of all nodes.
double pricePerHour(const TrainingEffort& training)
{
    return training.cost / (training.days * 24);
}

PlanMetric costMetric(const PlannedTime& time)
{
    const Price& price = time.node.price;
    PlanMetric metric{QObject::tr("Cost"),
                      QObject::tr("price unknown"),
                      QObject::tr("Give all hardware an hourly price in one currency to show the cost"),
                      std::numeric_limits<double>::quiet_NaN(),
                      Better::Lower,
                      QObject::tr("Total time × hourly price of the hosts with ranks.")};
    if (time.training.cost <= 0)
        return metric;
    if (!price.date.empty())
        metric.name = QObject::tr("Cost (%1)").arg(toQString(price.date));
    metric.value = displayNumber(time.training.cost) + QLatin1Char(' ') + toQString(price.currency);
    metric.details = QObject::tr("for all steps, at %1 %2 per hour for all nodes, prices of %3")
                         .arg(displayNumber(pricePerHour(time.training)), toQString(price.currency),
                              toQString(price.date));
    metric.amount = time.training.cost;
    return metric;
}

void addTimeMetrics(std::vector<PlanMetric>& metrics, const PlannedDesign& design)
{
    const PlannedTime& time = design.time();
    const StepStats& step = time.stats;
    metrics.push_back(stepMetric(time));
    metrics.push_back(
        {QObject::tr("Sequences/s"), displayNumber(step.sequencesPerSecond),
         QObject::tr("%1 sequences per second, all ranks together").arg(step.sequencesPerSecond, 0, 'g', 6),
         step.sequencesPerSecond, Better::Higher, QObject::tr("Global batch / step time.")});
    metrics.push_back(
        {QObject::tr("Tokens/day"), displayLarge(step.tokensPerDay()),
         QObject::tr("%1 tokens per second, all ranks together").arg(step.tokensPerSecond, 0, 'g', 6),
         step.tokensPerDay(), Better::Higher,
         QObject::tr("Sequences/s × tokens of a sequence × 86 400 s; padding counts.")});
    metrics.push_back(shareMetric(
        "MFU", "Model FLOP utilisation: share of the devices' dense peak used by the model's own operations",
        step.modelUtilization, kOperationsFormula));
    metrics.push_back(shareMetric("HFU", "Hardware FLOP utilisation: the same, including recomputation",
                                  step.hardwareUtilization, kOperationsFormula));
    metrics.push_back(shareMetric(
        "Efficiency", "Throughput per rank, relative to the fewest whole nodes that hold a copy of the model",
        design.efficiency, "Throughput per rank / that of the smallest size."));
    metrics.push_back(daysMetric(design.spec, time.training));
    metrics.push_back(costMetric(time));
}

QStringList timeAssumptions(const PlannedTime& time)
{
    const NodeModel& node = time.node;
    QStringList sentences;
    sentences << QObject::tr("The nodes are assumed to be %1: %2 with %3 of memory.")
                     .arg(toQString(node.name), toQString(node.device.name),
                          displayBytes(static_cast<double>(node.device.memory)));
    if (!node.device.peak.source.empty())
        sentences << QObject::tr("Dense peak rates: %1.").arg(toQString(node.device.peak.source));
    sentences << QObject::tr(
        "The slowest of many devices governs; their variation is as measured by Sinha et al., "
        "arXiv:2208.11035.");
    if (const auto& calibration = node.calibration)
        sentences << QObject::tr("Calibrated on %1; a step takes %2 to %3 times as long as predicted.")
                         .arg(toQString(calibration->date))
                         .arg(calibration->bandOf(1).least, 0, 'f', 2)
                         .arg(calibration->bandOf(1).most, 0, 'f', 2);
    else
        sentences << QObject::tr("Not calibrated on these hosts: a calibration gives the error band.");
    if (time.training.cost > 0)
        sentences << QObject::tr("Price: %1 %2 per hour for all nodes, of %3.")
                         .arg(displayNumber(pricePerHour(time.training)), toQString(node.price.currency),
                              toQString(node.price.date));
    return sentences;
}

PlanMetric parameterMetric(const ModelSpec& model)
{
    const auto parameters = static_cast<double>(parameterCount(model));
    const auto trained = static_cast<double>(trainedParameterCount(model));
    if (model.lora.isOn())
        return countMetric("Trainable", trained, "values",
                           "Low-rank adapters and the last product of a task; all other weights are frozen.");
    PlanMetric metric = countMetric("Parameters", parameters, "trainable values",
                                    "Every tensor of the model, with biases, norms, embeddings and heads.");
    if (model.experts.isOn())
        metric.formula +=
            QLatin1Char(' ') +
            QObject::tr("%1 of them compute with each token.").arg(displayCount(activeParameterCount(model)));
    return metric;
}

} // namespace

std::vector<PlanMetric> planMetrics(const PlannedDesign& design)
{
    const RunSpec& spec = design.spec;
    const double tokensPerStep = static_cast<double>(spec.batch.global) * design.shape.length;
    std::vector<PlanMetric> metrics{parameterMetric(spec.model),
                                    countMetric("Ranks", spec.layout.worldSize(), "processes, one per slot",
                                                "Data × context × pipeline × tensor parallel.")};
    addMemoryMetrics(metrics, design.plan);
    metrics.push_back(countMetric("Tokens/step", tokensPerStep, "tokens",
                                  "Global batch × tokens of a sequence; padding counts."));
    metrics.push_back(countMetric("Total tokens", static_cast<double>(samplesOf(spec)) * design.shape.length,
                                  "tokens", "Sequences of all steps × tokens of a sequence."));
    if (design.hasTime())
        addTimeMetrics(metrics, design);
    return metrics;
}

QString changeText(const PlanMetric& now, const PlanMetric& before)
{
    if (std::isnan(now.amount) || std::isnan(before.amount))
        return {};
    if (before.amount == 0)
        return now.amount == 0 ? QStringLiteral("=") : QString();
    return displayChange(now.amount / before.amount);
}

Tone changeTone(const PlanMetric& now, const PlanMetric& before)
{
    const QString change = changeText(now, before);
    if (change.isEmpty() || change == QLatin1String("=") || now.better == Better::Neither)
        return Tone::Muted;
    return (now.amount > before.amount) == (now.better == Better::Higher) ? Tone::Good : Tone::Bad;
}

bool PlanMetric::isSame(const PlanMetric& other) const
{
    const QString note = QStringLiteral(" (");
    return name.section(note, 0, 0) == other.name.section(note, 0, 0);
}

QString PlanMetric::help() const
{
    return formula.isEmpty() ? details : details + QLatin1Char('\n') + formula;
}

QStringList planAssumptions(const PlannedDesign& design)
{
    QStringList sentences;
    for (const PlanMetric& metric : planMetrics(design))
        sentences << metric.name + QStringLiteral(": ") + metric.formula;
    sentences << QObject::tr(
                     "Sequences of %1 tokens: those of the data set if it is listed in Data, else the "
                     "model's maximum.")
                     .arg(design.shape.length);
    for (const std::string& assumption : design.plan.memory.assumptions)
        sentences << toQString(assumption);
    if (design.hasTime())
        sentences << timeAssumptions(design.time());
    return sentences;
}

namespace {

/// A metric, and the name of the metric that it is a part of.
struct ComparedMetric {
    PlanMetric metric;
    QString whole{};

    bool isSame(const ComparedMetric& other) const
    {
        return whole == other.whole && metric.isSame(other.metric);
    }
};

PlanMetric partMetric(const QString& name, double amount, QString (*display)(double))
{
    return {QObject::tr("· %1").arg(name), display(amount), {}, amount};
}

void addMemory(std::vector<ComparedMetric>& metrics, const PlannedDesign& design)
{
    for (std::size_t i = 0; i < kMemoryCategories; ++i) {
        metrics.push_back({partMetric(toQString(nameOf(static_cast<MemoryCategory>(i))),
                                      static_cast<double>(design.plan.memory.bytes[i]), displayBytes),
                           QObject::tr("Memory")});
    }
}

void addTime(std::vector<ComparedMetric>& metrics, const PlannedDesign& design)
{
    const auto seconds = byCommonCause(design.time().step.byCause);
    for (std::size_t i = 0; i < kCommonCauses; ++i)
        metrics.push_back(
            {partMetric(toQString(nameOf(static_cast<CommonCause>(i))), seconds[i], displaySeconds),
             QObject::tr("Step time")});
}

/// Returns the metrics, each followed by its parts.
std::vector<ComparedMetric> metricsOf(const PlannedDesign& design)
{
    std::vector<ComparedMetric> metrics;
    for (const PlanMetric& metric : planMetrics(design)) {
        metrics.push_back({metric});
        if (metric.name == QObject::tr("Memory")) {
            // Without the capacity, which may differ too.
            metrics.back().metric.value = displayBytes(metric.amount);
            addMemory(metrics, design);
        } else if (metric.name == QObject::tr("Step time")) {
            addTime(metrics, design);
        }
    }
    return metrics;
}

const PlanMetric* find(const std::vector<ComparedMetric>& metrics, const ComparedMetric& wanted)
{
    const auto found = std::find_if(metrics.begin(), metrics.end(),
                                    [&](const ComparedMetric& metric) { return metric.isSame(wanted); });
    return found == metrics.end() ? nullptr : &found->metric;
}

bool isNothing(const PlanMetric& metric)
{
    return metric.amount == 0 || std::isnan(metric.amount);
}

bool hasText(const RunSpec& spec, const FieldChange& field)
{
    const auto texts = fieldTexts(spec);
    return std::ranges::find(texts, field) != texts.end();
}

/// The fields in which `there` differs from `other`; those of each phase by themselves.
std::map<QString, QString> valuesOf(const RunSpec& other, const RunSpec& there)
{
    std::map<QString, QString> values;
    for (const FieldChange& change : changesBetween(other, there)) {
        if (change.path != "phases")
            values[QString::fromStdString(change.path)] = QString::fromStdString(change.value);
    }
    for (const FieldChange& field : fieldTexts(there)) {
        if (field.path.starts_with("phases[") && !hasText(other, field))
            values[QString::fromStdString(field.path)] = QString::fromStdString(field.value);
    }
    return values;
}

} // namespace

TextTable comparedMetrics(const PlannedDesign& kept, const PlannedDesign& present)
{
    TextTable table{
        {QObject::tr("Metric"), QObject::tr("Saved"), QObject::tr("Current"), QObject::tr("Change")}, {}};
    const std::vector<ComparedMetric> before = metricsOf(kept);
    const PlanMetric none{{}, QStringLiteral("–"), {}};
    for (const ComparedMetric& compared : metricsOf(present)) {
        const PlanMetric& now = compared.metric;
        const PlanMetric* found = find(before, compared);
        const PlanMetric& old = found ? *found : none;
        if (!isNothing(now) || !isNothing(old))
            table.rows << QStringList{now.name, old.value, now.value, changeText(now, old)};
    }
    return table;
}

TextTable comparedFields(const RunSpec& kept, const RunSpec& present)
{
    TextTable table{{QObject::tr("Field"), QObject::tr("Saved"), QObject::tr("Current")}, {}};
    const auto before = valuesOf(present, kept);
    const auto now = valuesOf(kept, present);
    std::map<QString, QStringList> rows;
    for (const auto& [path, value] : before)
        rows[path] = {path, value, QStringLiteral("–")};
    for (const auto& [path, value] : now)
        rows[path] = {path, before.contains(path) ? before.at(path) : QStringLiteral("–"), value};
    for (const auto& [path, row] : rows)
        table.rows << row;
    return table;
}

} // namespace trainyard
