#include "app/cli/support/state_traffic_text.h"

#include <QStringList>

#include "engine/base/units.h"
#include "engine/planner/layout/stage_costs.h"
#include "engine/planner/time/state_traffic.h"

namespace trainyard {

namespace {

RankTraffic trafficOf(const RunSpec& spec, const SequenceShape& shape)
{
    const auto counts = layersPerStage(spec, shape);
    return counts.ok() ? stateTraffic(spec, *counts, {}) : RankTraffic();
}

QStringList partsOf(const StateTraffic& traffic, const char* what, int owners, int copies)
{
    QStringList parts;
    const auto add = [&](Bytes bytes, const QString& kind, const QString& among) {
        if (bytes > 0)
            parts
                << QString("%1 of %2 among %3").arg(QString::fromStdString(formatBytes(bytes)), kind, among);
    };
    const QString ranks = QString("%1 ranks").arg(owners);
    add(traffic.reduced, QString("%1gradients").arg(what), ranks);
    add(traffic.summed, traffic.reduced > 0 ? QString("them") : QString("%1gradients").arg(what),
        QString("%1 copies").arg(copies));
    add(traffic.gathered, QString("%1weights").arg(what), ranks);
    return parts;
}

QJsonObject toJson(const StateTraffic& traffic, int owners, int copies)
{
    return {{"ranks", owners},
            {"copies", copies},
            {"gradients", static_cast<qint64>(traffic.reduced)},
            {"gradients_among_copies", static_cast<qint64>(traffic.summed)},
            {"weights", static_cast<qint64>(traffic.gathered)}};
}

/// Ranks that each own a part of one copy, or without ZeRO that all own everything.
int ownersOf(const RunSpec& spec, int holders, int shard)
{
    return spec.memory.zeroStage > 0 ? shard : holders;
}

} // namespace

QString stateTrafficText(const RunSpec& spec, const SequenceShape& shape)
{
    const ParallelLayout& layout = spec.layout;
    const RankTraffic traffic = trafficOf(spec, shape);
    const int owners = ownersOf(spec, layout.holders(), layout.shardRanks());
    QStringList parts = partsOf(traffic.others, "", owners, layout.holders() / owners);
    if (layout.expert > 1) {
        const int experts = ownersOf(spec, layout.expertCopies(), layout.expertShardRanks());
        parts << partsOf(traffic.ofExperts, "experts' ", experts, layout.expertCopies() / experts);
    }
    return parts.isEmpty() ? QString() : QString("Each step, %1.").arg(parts.join(", "));
}

QJsonObject stateTrafficJson(const RunSpec& spec, const SequenceShape& shape)
{
    const ParallelLayout& layout = spec.layout;
    const RankTraffic traffic = trafficOf(spec, shape);
    const int owners = ownersOf(spec, layout.holders(), layout.shardRanks());
    QJsonObject json = toJson(traffic.others, owners, layout.holders() / owners);
    if (layout.expert > 1) {
        const int experts = ownersOf(spec, layout.expertCopies(), layout.expertShardRanks());
        json["experts"] = toJson(traffic.ofExperts, experts, layout.expertCopies() / experts);
    }
    return json;
}

} // namespace trainyard
