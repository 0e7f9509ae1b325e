#include "app/models/plan_figures.h"

#include <algorithm>
#include <cmath>

#include <QCoreApplication>
#include <QStringList>

#include "app/models/display_text.h"
#include "engine/planner/parameter_parts.h"

namespace trainyard {

namespace {

using Better = PlanFigure::Better;

constexpr double kSameShare = 5e-4; ///< changes that round to 0.0 %

QString words(const char* text)
{
    return QCoreApplication::translate("PlanFigures", text);
}

QString plain(const std::string& text)
{
    return QString::fromStdString(text);
}

PlanFigure countFigure(const char* name, double amount)
{
    return {words(name), displayNumber(amount), displayCount(std::llround(amount)), amount};
}

/// Of the tightest host whose memory is known; where the run fits, of those that have room for its fullest
/// rank.
std::optional<Bytes> leastRoom(const PlannedRun& plan)
{
    std::optional<Bytes> least;
    for (const HostMemory& host : plan.hosts) {
        const auto room = host.room();
        if (room && (!plan.fits() || host.hasRoomFor(plan.memory.need())))
            least = std::min(least.value_or(*room), *room);
    }
    return least;
}

/// "10.8 of 80.0 GiB": the unit once, where it is the same.
QString memoryText(double bytes, const std::optional<Bytes>& room)
{
    QString text = displayBytes(bytes);
    if (!room)
        return text;
    const QString all = displayBytes(static_cast<double>(*room));
    if (text.section(QLatin1Char(' '), 1) == all.section(QLatin1Char(' '), 1))
        text = text.section(QLatin1Char(' '), 0, 0);
    return words("%1 of %2").arg(text, all);
}

/// What is offloaded lies beside the devices' memory, where ranks compute in that.
PlanFigure memoryFigure(const PlannedRun& plan)
{
    const bool onDevices = std::ranges::any_of(plan.hosts, &HostMemory::onDevices);
    const auto held = static_cast<double>(onDevices ? plan.memory.onDevice() : plan.memory.total());
    const auto offloaded = static_cast<double>(plan.memory.total()) - held;
    PlanFigure figure{words("Memory per rank"), memoryText(held, leastRoom(plan)),
                      words("%1 bytes at the peak of a step, on the rank that holds most")
                          .arg(displayCount(std::llround(held))),
                      held, Better::Lower};
    if (offloaded > 0) {
        figure.value += words(" + %1 on host").arg(displayBytes(offloaded));
        figure.details +=
            words("; %1 bytes more in the memory of its host").arg(displayCount(std::llround(offloaded)));
    }
    return figure;
}

PlanFigure stepFigure(const PlannedTime& time)
{
    const double seconds = time.step.seconds;
    PlanFigure figure{words("Time of a step"), displaySeconds(seconds),
                      words("%1 s of one optimizer step").arg(seconds, 0, 'g', 6), seconds, Better::Lower};
    if (const auto& calibration = time.node.calibration) {
        const TimeBand band = calibration->bandOf(seconds);
        figure.value += words(" ± %1").arg(displayPercent(calibration->errorBand));
        figure.details +=
            words("; between %1 and %2, as calibrated on %3")
                .arg(displaySeconds(band.least), displaySeconds(band.most), plain(calibration->date));
    }
    return figure;
}

PlanFigure shareFigure(const char* name, const char* details, double share)
{
    return {words(name), displayPercent(share), words(details), share, Better::Higher};
}

PlanFigure daysFigure(const RunSpec& spec, const TrainingEffort& training)
{
    return {words("All steps"), displaySeconds(training.days * 86400),
            words("%1 days for %2 steps, without pauses and checkpoints")
                .arg(training.days, 0, 'g', 6)
                .arg(displayCount(spec.launch.steps)),
            training.days, Better::Lower};
}

/// Of all nodes.
double pricePerHour(const TrainingEffort& training)
{
    return training.cost / (training.days * 24);
}

PlanFigure costFigure(const PlannedTime& time)
{
    const Price& price = time.node.price;
    PlanFigure figure{words("Cost"), words("price unknown"),
                      words("Give all hardware a price per hour in one currency, and the cost is told"),
                      std::numeric_limits<double>::quiet_NaN(), Better::Lower};
    if (time.training.cost <= 0)
        return figure;
    if (!price.date.empty())
        figure.name = words("Cost (%1)").arg(plain(price.date));
    figure.value = displayNumber(time.training.cost) + QLatin1Char(' ') + plain(price.currency);
    figure.details =
        words("of all steps, at %1 %2 per hour for all nodes, prices of %3")
            .arg(displayNumber(pricePerHour(time.training)), plain(price.currency), plain(price.date));
    figure.amount = time.training.cost;
    return figure;
}

void addTimeFigures(std::vector<PlanFigure>& figures, const PlannedDesign& design, double efficiency)
{
    const PlannedTime& time = design.time();
    const StepFigures& step = time.figures;
    figures.push_back(stepFigure(time));
    figures.push_back(
        {words("Sequences/s"), displayNumber(step.sequencesPerSecond),
         words("%1 sequences per second, all ranks together").arg(step.sequencesPerSecond, 0, 'g', 6),
         step.sequencesPerSecond, Better::Higher});
    figures.push_back({words("Tokens/day"), displayNumber(step.tokensPerDay()),
                       words("%1 tokens per second, all ranks together").arg(step.tokensPerSecond, 0, 'g', 6),
                       step.tokensPerDay(), Better::Higher});
    figures.push_back(
        shareFigure("MFU (model)",
                    "Model FLOP utilisation: share of the devices' dense peak that the model's own "
                    "operations reach",
                    step.modelUtilization));
    figures.push_back(shareFigure("HFU (hardware)",
                                  "Hardware FLOP utilisation: the same with what recomputation does again",
                                  step.hardwareUtilization));
    figures.push_back(shareFigure("Scaling efficiency",
                                  "Throughput of one rank, against that on the fewest whole nodes that hold "
                                  "a copy of the model",
                                  efficiency));
    figures.push_back(daysFigure(design.spec, time.training));
    figures.push_back(costFigure(time));
}

QStringList timeAssumptions(const PlannedTime& time)
{
    const NodeModel& node = time.node;
    QStringList sentences;
    sentences << words("The nodes are taken for %1: %2 with %3 of memory.")
                     .arg(plain(node.name), plain(node.device.name),
                          displayBytes(static_cast<double>(node.device.memory)));
    if (!node.device.peak.source.empty())
        sentences << words("Dense peak rates: %1.").arg(plain(node.device.peak.source));
    sentences << words("Operations of a step, for MFU and HFU: Korthikanti et al., arXiv:2205.05198, "
                       "equations 7 and 8.")
              << words("Products by tiles and waves, everything else by memory bandwidth, collectives by "
                       "tables of link speed by size; the schedule is played action by action.")
              << words("The slowest of many devices governs; they vary as Sinha et al. measured, "
                       "arXiv:2208.11035.");
    if (const auto& calibration = node.calibration)
        sentences << words("Calibrated on %1; a step takes at most %2 more or less than predicted.")
                         .arg(plain(calibration->date), displayPercent(calibration->errorBand));
    else
        sentences << words("Not calibrated on these hosts: a calibration gives the error band.");
    if (time.training.cost > 0)
        sentences << words("Price: %1 %2 per hour for all nodes, of %3.")
                         .arg(displayNumber(pricePerHour(time.training)), plain(node.price.currency),
                              plain(node.price.date));
    return sentences;
}

} // namespace

std::vector<PlanFigure> planFigures(const PlannedDesign& design, double efficiency)
{
    const RunSpec& spec = design.spec;
    const double tokensPerStep = static_cast<double>(spec.batch.global) * design.shape.length;
    std::vector<PlanFigure> figures{
        countFigure("Parameters", static_cast<double>(parameterCount(spec.model))),
        countFigure("Ranks", spec.layout.worldSize()), memoryFigure(design.plan),
        countFigure("Tokens per step", tokensPerStep),
        countFigure("Tokens in all", tokensPerStep * spec.launch.steps)};
    if (design.hasTime())
        addTimeFigures(figures, design, efficiency);
    return figures;
}

QString changeText(const PlanFigure& now, const PlanFigure& before)
{
    if (std::isnan(now.amount) || std::isnan(before.amount))
        return {};
    if (before.amount == 0)
        return now.amount == 0 ? QStringLiteral("=") : QString();
    const double change = now.amount / before.amount - 1;
    if (std::fabs(change) < kSameShare)
        return QStringLiteral("=");
    return (change > 0 ? QStringLiteral("+") : QStringLiteral("−")) + displayPercent(std::fabs(change));
}

Tone changeTone(const PlanFigure& now, const PlanFigure& before)
{
    const QString change = changeText(now, before);
    if (change.isEmpty() || change == QLatin1String("=") || now.better == Better::Neither)
        return Tone::Muted;
    return (now.amount > before.amount) == (now.better == Better::Higher) ? Tone::Good : Tone::Bad;
}

QStringList planAssumptions(const PlannedDesign& design)
{
    QStringList sentences;
    for (const std::string& assumption : design.plan.memory.assumptions)
        sentences << plain(assumption);
    if (design.hasTime())
        sentences << timeAssumptions(design.time());
    return sentences;
}

} // namespace trainyard
