#include "app/cli/support/state_traffic_text.h"

#include <vector>

#include <QStringList>

#include "engine/base/units.h"
#include "engine/planner/layout/stage_costs.h"
#include "engine/planner/time/state_traffic.h"

namespace trainyard {

namespace {

/// What a rank exchanges per step, and among how many.
struct Exchange {
    StateTraffic traffic;
    int owners = 1; ///< ranks that each own a part of one copy, or without ZeRO that all own everything
    int copies = 1;
    const char* what = ""; ///< before "gradients" and "weights"
};

Exchange exchangeOf(const StateTraffic& traffic, bool isSharded, int holders, int shardRanks)
{
    const int owners = isSharded ? shardRanks : holders;
    return {traffic, owners, holders / owners};
}

/// Of the states that all ranks have, then of the experts if ranks share them.
std::vector<Exchange> exchangesOf(const RunSpec& spec, const SequenceShape& shape)
{
    const ParallelLayout& layout = spec.layout;
    const auto counts = layersPerStage(spec, shape);
    const RankTraffic traffic = counts.ok() ? stateTraffic(spec, *counts, {}) : RankTraffic();
    const bool isSharded = spec.memory.zeroStage > 0;
    std::vector exchanges{exchangeOf(traffic.others, isSharded, layout.holders(), layout.shardRanks())};
    if (layout.expert > 1) {
        exchanges.push_back(
            exchangeOf(traffic.ofExperts, isSharded, layout.expertCopies(), layout.expertShardRanks()));
        exchanges.back().what = "experts' ";
    }
    return exchanges;
}

QStringList partsOf(const Exchange& exchange)
{
    QStringList parts;
    const auto add = [&](Bytes bytes, const QString& kind, const QString& among) {
        if (bytes > 0)
            parts
                << QString("%1 of %2 among %3").arg(QString::fromStdString(formatBytes(bytes)), kind, among);
    };
    const StateTraffic& traffic = exchange.traffic;
    const QString ranks = QString("%1 ranks").arg(exchange.owners);
    const QString gradients = QString("%1gradients").arg(exchange.what);
    add(traffic.reduced, gradients, ranks);
    add(traffic.summed, traffic.reduced > 0 ? QString("them") : gradients,
        QString("%1 copies").arg(exchange.copies));
    add(traffic.gathered, QString("%1weights").arg(exchange.what), ranks);
    return parts;
}

QJsonObject toJson(const Exchange& exchange)
{
    return {{"ranks", exchange.owners},
            {"copies", exchange.copies},
            {"gradients", static_cast<qint64>(exchange.traffic.reduced)},
            {"gradients_among_copies", static_cast<qint64>(exchange.traffic.summed)},
            {"weights", static_cast<qint64>(exchange.traffic.gathered)}};
}

} // namespace

QString stateTrafficText(const RunSpec& spec, const SequenceShape& shape)
{
    QStringList parts;
    for (const Exchange& exchange : exchangesOf(spec, shape))
        parts << partsOf(exchange);
    return parts.isEmpty() ? QString() : QString("Each step, %1.").arg(parts.join(", "));
}

QJsonObject stateTrafficJson(const RunSpec& spec, const SequenceShape& shape)
{
    const std::vector<Exchange> exchanges = exchangesOf(spec, shape);
    QJsonObject json = toJson(exchanges.front());
    if (exchanges.size() > 1)
        json["experts"] = toJson(exchanges.back());
    return json;
}

} // namespace trainyard
