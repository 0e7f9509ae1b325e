#include "app/cli/support/found_layout_text.h"

#include <QJsonObject>

#include "app/base/display_text.h"
#include "app/cli/support/console.h"
#include "app/plan/layout_summary.h"
#include "engine/planner/layout/stage_costs.h"
#include "engine/planner/search/tradeoffs.h"
#include "engine/planner/time/step_stats.h"
#include "engine/spec/names.h"

namespace trainyard {

namespace {

QStringList textsOf(const std::vector<std::string>& texts)
{
    QStringList list;
    for (const std::string& text : texts)
        list << toQString(text);
    return list;
}

QString costOf(const FoundLayout& found, const Price& price)
{
    const double cost = found.costPerMillionSequences;
    return cost > 0 ? console::number(cost) + " " + toQString(price.currency) : QString("unknown");
}

QString dataText(const ParallelLayout& layout)
{
    QStringList shared;
    if (layout.expert > 1)
        shared << QString("experts %1").arg(layout.expert);
    if (layout.shard > 0)
        shared << QString("shard %1").arg(layout.shard);
    const QString data = QString::number(layout.data);
    return shared.isEmpty() ? data : QString("%1 (%2)").arg(data, shared.join(", "));
}

QStringList rowOf(int place, const FoundLayout& found, const Price& price)
{
    const ParallelLayout& layout = found.spec.layout;
    return {QString::number(place),
            dataText(layout),
            QString::number(layout.context),
            QString::number(layout.tensor),
            pipelineLabel(layout),
            QString("%1 x %2").arg(found.spec.batch.micro).arg(found.spec.batch.accumulation),
            console::number(found.sequencesPerSecond),
            console::number(found.time.seconds) + " s",
            costOf(found, price),
            toQString(formatBytes(found.onDevice)),
            memoryMeasures(found.spec.memory)};
}

QString tableOf(const std::vector<FoundLayout>& layouts, const Price& price)
{
    QList<QStringList> rows{{"#", "data", "context", "tensor", "pipeline", "micro-batches", "seq/s", "step",
                             "cost of 10^6 sequences", "memory", "with"}};
    for (const FoundLayout& layout : layouts)
        rows << rowOf(static_cast<int>(rows.size()), layout, price);
    return console::table(rows);
}

QString nodesOf(int nodes)
{
    return QString("%1 node%2").arg(nodes).arg(nodes == 1 ? "" : "s");
}

/// "placement PDT (tensor on 1 node, pipeline on 12 nodes, data on 10 nodes); DPT takes 3 % longer".
QString placementText(const std::vector<PlacementCost>& placements)
{
    const PlacementCost& best = placements.front();
    QString text = QString("placement %1 (a tensor group on %2, a pipeline on %3, replicas on %4)")
                       .arg(toQString(best.placement), nodesOf(best.tensorNodes), nodesOf(best.pipelineNodes),
                            nodesOf(best.dataNodes));
    QStringList others;
    for (std::size_t i = 1; i < placements.size(); ++i)
        others << QString("%1 +%2 %")
                      .arg(toQString(placements[i].placement))
                      .arg(100 * (placements[i].seconds / best.seconds - 1), 0, 'f', 1);
    return others.isEmpty() ? text : text + "; others: " + others.join(", ");
}

QString partitionText(const StagePartition& partition)
{
    QStringList counts;
    for (const int count : partition.layerCounts)
        counts << QString::number(count);
    return counts.isEmpty() ? QString() : "layers by time: " + counts.join(' ');
}

QString tradeoffText(const Tradeoffs& words)
{
    QStringList parts;
    if (!words.gains.empty())
        parts << "gains " + textsOf(words.gains).join(", ");
    if (!words.losses.empty())
        parts << "gives up " + textsOf(words.losses).join(", ");
    return parts.isEmpty() ? QString("about the same as 1") : "compared with 1: " + parts.join("; ");
}

QStringList remarksOn(const FoundLayout& layout, const FoundLayout& best)
{
    QStringList remarks;
    if (&layout != &best)
        remarks << tradeoffText(tradeoffs(layout, best));
    if (layout.placements.size() > 1)
        remarks << placementText(layout.placements);
    remarks << partitionText(layout.spec.layout.partition);
    remarks.removeAll(QString());
    return remarks;
}

QJsonArray arrayOf(const std::vector<std::string>& texts)
{
    return QJsonArray::fromStringList(textsOf(texts));
}

QJsonArray placementJson(const std::vector<PlacementCost>& placements)
{
    QJsonArray array;
    for (const PlacementCost& cost : placements)
        array << QJsonObject{{"placement", toQString(cost.placement)},
                             {"step_seconds", cost.seconds},
                             {"tensor_nodes", cost.tensorNodes},
                             {"pipeline_nodes", cost.pipelineNodes},
                             {"data_nodes", cost.dataNodes}};
    return array;
}

QJsonArray stagesJson(const SearchRequest& request, const RunSpec& spec)
{
    QJsonArray array;
    const auto counts = layersPerStage(spec, request.shape);
    for (const int count : counts.ok() ? *counts : std::vector<int>())
        array << count;
    return array;
}

QJsonObject causesJson(const TimeByCause& seconds)
{
    QJsonObject causes;
    for (std::size_t i = 0; i < kStepCauses; ++i)
        causes[toQString(nameOf(static_cast<StepCause>(i)))] = seconds[i];
    return causes;
}

QJsonObject jsonOf(const SearchRequest& request, const FoundLayout& found, const FoundLayout& best)
{
    const RunSpec& spec = found.spec;
    const StepStats stats = stepStats(
        spec, request.shape, request.node.device.peak.of(spec.precision.compute), found.time.seconds);
    const Tradeoffs words = tradeoffs(found, best);
    return {{"data", spec.layout.data},
            {"context", spec.layout.context},
            {"expert", spec.layout.expert},
            {"shard", spec.layout.shard},
            {"tensor", spec.layout.tensor},
            {"pipeline", spec.layout.pipeline},
            {"virtual_stages", spec.layout.virtualStages},
            {"schedule", toQString(nameOf(spec.layout.schedule))},
            {"sequence", spec.layout.sequence},
            {"placement", toQString(spec.layout.placement)},
            {"placements", placementJson(found.placements)},
            {"layers_per_stage", stagesJson(request, spec)},
            {"micro", spec.batch.micro},
            {"accumulation", spec.batch.accumulation},
            {"zero_stage", spec.memory.zeroStage},
            {"recompute", toQString(nameOf(spec.memory.recompute))},
            {"offload_activations", spec.memory.offloadActivations},
            {"offload_optimizer", spec.memory.offloadOptimizer},
            {"offload_parameters", spec.memory.offloadParameters},
            {"step_seconds", found.time.seconds},
            {"step_seconds_by_cause", causesJson(found.time.byCause)},
            {"bubble_share", found.bubbleShare()},
            {"sequences_per_second", found.sequencesPerSecond},
            {"model_flops_utilization", stats.modelUtilization},
            {"hardware_flops_utilization", stats.hardwareUtilization},
            {"cost_per_million_sequences", found.costPerMillionSequences},
            {"memory_per_rank", static_cast<qint64>(found.onDevice)},
            {"host_memory_per_rank", static_cast<qint64>(found.onHost)},
            {"gains", arrayOf(words.gains)},
            {"gives_up", arrayOf(words.losses)}};
}

} // namespace

QString foundLayoutText(const SearchRequest& request, const std::vector<FoundLayout>& layouts)
{
    QStringList lines{tableOf(layouts, request.node.price)};
    for (std::size_t i = 0; i < layouts.size(); ++i) {
        for (const QString& remark : remarksOn(layouts[i], layouts.front()))
            lines << QString("%1: %2").arg(i + 1).arg(remark);
    }
    return lines.join('\n');
}

QJsonArray foundLayoutJson(const SearchRequest& request, const std::vector<FoundLayout>& layouts)
{
    QJsonArray array;
    for (const FoundLayout& layout : layouts)
        array << jsonOf(request, layout, layouts.front());
    return array;
}

} // namespace trainyard
