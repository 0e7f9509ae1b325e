#include "app/plan/planned_design.h"

#include <QCoreApplication>

namespace trainyard {

std::optional<std::size_t> nodeOfUnknownHardware(const PlannedDesign& design)
{
    for (const HostMemory& host : design.plan.hosts) {
        if (design.spec.cluster.nodes[host.node].hardware.empty())
            return host.node;
    }
    return std::nullopt;
}

namespace {

QString words(const char* text)
{
    return QCoreApplication::translate("PlannedDesign", text);
}

} // namespace

QString timeObstacle(const PlannedDesign& design)
{
    if (design.hasTime())
        return {};
    if (!design.plan.time.ok())
        return words("Cannot predict the time: %1")
            .arg(QString::fromStdString(design.plan.time.error().text()));
    const auto node = nodeOfUnknownHardware(design);
    return node ? words("Choose the hardware of %1 to see step time, throughput, cost and scaling.")
                      .arg(QString::fromStdString(design.spec.cluster.nodes[*node].host))
                : words("No rank has a host yet.");
}

QString timeObstacleInShort(const PlannedDesign& design)
{
    if (design.hasTime())
        return {};
    return design.plan.time.ok() ? words("Choose hardware to see this.")
                                 : words("Fix the problems in the verdict to see this.");
}

} // namespace trainyard
