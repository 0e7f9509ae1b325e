#include "engine/planner/time/collective_time.h"

#include <algorithm>
#include <cmath>

namespace trainyard {

namespace {

double ringBandwidth(double bytes, const GroupPlace& place, const NodeModel& node)
{
    const double within = node.deviceLinks.bandwidth(bytes, std::min(place.ranks, node.devices));
    if (place.nodes == 1)
        return within;
    return std::min(within, node.network.bandwidth(bytes, place.ranks) / place.groupsPerNode);
}

double ringTime(double bytes, const GroupPlace& place, const NodeModel& node)
{
    return bytes * (place.ranks - 1) / place.ranks / ringBandwidth(bytes, place, node);
}

} // namespace

double allReduceTime(double bytes, const GroupPlace& place, const NodeModel& node)
{
    if (place.ranks == 1)
        return 0;
    const double latency =
        place.nodes == 1 ? node.deviceLinks.latency : node.network.latency * std::log2(place.nodes);
    return latency + 2 * ringTime(bytes, place, node);
}

double gatherTime(double bytes, const GroupPlace& place, const NodeModel& node)
{
    if (place.ranks == 1)
        return 0;
    const int across = place.nodes > 1 ? place.nodes : 0;
    const double hops =
        node.deviceLinks.latency * (place.ranks - place.nodes) + node.network.latency * across;
    return hops + ringTime(bytes, place, node);
}

double allToAllTime(double bytes, const GroupPlace& place, const NodeModel& node)
{
    if (place.ranks == 1)
        return 0;
    const double here = double(place.ranks) / place.nodes; // ranks of a group on a node
    const double within = bytes * (here - 1) / place.ranks /
                          node.deviceLinks.bandwidth(bytes, std::min(place.ranks, node.devices));
    if (place.nodes == 1)
        return node.deviceLinks.latency + within;
    const double sent = bytes * (place.ranks - here) / place.ranks * here * place.groupsPerNode;
    return node.network.latency + std::max(within, sent / node.network.bandwidth(bytes, place.ranks));
}

double sendTime(double bytes, const GroupPlace& pipeline, const NodeModel& node)
{
    if (pipeline.ranks == 1)
        return 0;
    if (pipeline.nodes == 1)
        return node.deviceLinks.latency + bytes / node.deviceLinks.bandwidth(bytes, 2);
    return node.network.latency + bytes * pipeline.groupsPerNode / node.network.bandwidth(bytes, 2);
}

} // namespace trainyard
