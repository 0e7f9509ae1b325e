#include "engine/planner/hardware/hardware_json.h"

#include <algorithm>

#include <nlohmann/json.hpp>

#include "engine/spec/field_reader.h"

namespace trainyard {

namespace {

using Json = nlohmann::ordered_json;

/// As readBytes() takes it, to the byte.
std::string exactBytes(Bytes bytes)
{
    const auto whole = [bytes](Bytes unit, const char* name) {
        return bytes >= unit && bytes % unit == 0 ? std::to_string(bytes / unit) + name : std::string();
    };
    for (const auto& text : {whole(kGiB, " GiB"), whole(kMiB, " MiB"), whole(kKiB, " KiB")}) {
        if (!text.empty())
            return text;
    }
    return std::to_string(bytes) + " B";
}

/// Complains where the figure is not above 0.
void readRate(FieldReader& reader, const char* key, double& rate)
{
    reader.read(key, rate);
    if (!(rate > 0))
        reader.complain(key, "must be above 0", "give what the vendor publishes, or what was measured");
}

void readShare(FieldReader& reader, const char* key, double& share)
{
    reader.read(key, share);
    if (!(share > 0) || share > 1)
        reader.complain(key, "must be above 0 and at most 1", "it is a share, e.g. 0.8");
}

void readPeak(FieldReader& reader, PeakRates& peak)
{
    readRate(reader, "float64", peak.float64);
    readRate(reader, "float32", peak.float32);
    readRate(reader, "bfloat16", peak.bfloat16);
    readRate(reader, "float16", peak.float16);
    reader.read("source", peak.source);
}

void readDevice(FieldReader& reader, DeviceModel& device, Diagnostics& diagnostics)
{
    reader.read("name", device.name);
    reader.readBytes("memory", device.memory);
    readSection(reader, "peak", diagnostics, [&](FieldReader& peak) { readPeak(peak, device.peak); });
    readRate(reader, "memory_bandwidth", device.memoryBandwidth);
    reader.read("processors", device.processors);
    readShare(reader, "product_efficiency", device.productEfficiency);
    readShare(reader, "traffic_efficiency", device.trafficEfficiency);
    reader.read("kernel_time", device.kernelTime);
    reader.read("launch_time", device.launchTime);
}

/// Runs `item` on each object of the array `key`.
template <typename Item>
void readItems(FieldReader& parent, const char* key, Diagnostics& diagnostics, Item item)
{
    const auto* json = parent.take(key);
    if (!json)
        return;
    for (std::size_t i = 0; i < json->size(); ++i) {
        FieldReader reader(json->at(i), parent.pathOf(key) + "[" + std::to_string(i) + "]", diagnostics);
        item(reader);
        reader.finish();
    }
}

void readPoints(FieldReader& reader, LinkTable& table, Diagnostics& diagnostics)
{
    readItems(reader, "points", diagnostics, [&](FieldReader& point) {
        LinkPoint& read = table.points.emplace_back();
        point.readBytes("size", read.size);
        readRate(point, "bandwidth", read.bandwidth);
    });
    const auto ascending = [](const LinkPoint& a, const LinkPoint& b) { return a.size < b.size; };
    if (table.points.empty() || !std::is_sorted(table.points.begin(), table.points.end(), ascending))
        reader.complain("points", "needs at least one point, in order of size",
                        "a single point is a constant bandwidth");
}

void readLinks(FieldReader& reader, LinkTable& table, Diagnostics& diagnostics)
{
    reader.read("latency", table.latency);
    readPoints(reader, table, diagnostics);
    readItems(reader, "groups", diagnostics, [&](FieldReader& group) {
        GroupShare& read = table.groups.emplace_back();
        group.read("ranks", read.ranks);
        readShare(group, "share", read.share);
    });
}

void readPrice(FieldReader& reader, Price& price)
{
    reader.read("per_hour", price.perHour);
    reader.read("currency", price.currency);
    reader.read("date", price.date);
}

void readNode(FieldReader& reader, NodeModel& node, Diagnostics& diagnostics)
{
    reader.read("name", node.name);
    reader.read("description", node.description);
    readSection(reader, "device", diagnostics,
                [&](FieldReader& device) { readDevice(device, node.device, diagnostics); });
    reader.read("devices", node.devices);
    if (node.devices < 1)
        reader.complain("devices", "is below 1", "a node has at least one device");
    readSection(reader, "device_links", diagnostics,
                [&](FieldReader& links) { readLinks(links, node.deviceLinks, diagnostics); });
    readSection(reader, "network", diagnostics,
                [&](FieldReader& links) { readLinks(links, node.network, diagnostics); });
    readRate(reader, "host_link", node.hostLink);
    reader.readBytes("host_memory", node.hostMemory);
    readRate(reader, "host_bandwidth", node.hostBandwidth);
    readSection(reader, "price", diagnostics, [&](FieldReader& price) { readPrice(price, node.price); });
}

Json linksJson(const LinkTable& table)
{
    Json json{{"latency", table.latency}, {"points", Json::array()}, {"groups", Json::array()}};
    for (const LinkPoint& point : table.points)
        json["points"].push_back({{"size", exactBytes(point.size)}, {"bandwidth", point.bandwidth}});
    for (const GroupShare& group : table.groups)
        json["groups"].push_back({{"ranks", group.ranks}, {"share", group.share}});
    return json;
}

Json deviceJson(const DeviceModel& device)
{
    const PeakRates& peak = device.peak;
    return {{"name", device.name},
            {"memory", exactBytes(device.memory)},
            {"peak",
             {{"float64", peak.float64},
              {"float32", peak.float32},
              {"bfloat16", peak.bfloat16},
              {"float16", peak.float16},
              {"source", peak.source}}},
            {"memory_bandwidth", device.memoryBandwidth},
            {"processors", device.processors},
            {"product_efficiency", device.productEfficiency},
            {"traffic_efficiency", device.trafficEfficiency},
            {"kernel_time", device.kernelTime},
            {"launch_time", device.launchTime}};
}

} // namespace

ParsedNode parseNode(std::string_view text)
{
    ParsedNode parsed;
    const auto json = nlohmann::json::parse(text, nullptr, false);
    if (json.is_discarded()) {
        parsed.diagnostics.push_back({"", "is not valid JSON", "check brackets, quotes and commas"});
        return parsed;
    }
    FieldReader reader(json, "", parsed.diagnostics);
    readNode(reader, parsed.node, parsed.diagnostics);
    reader.finish();
    return parsed;
}

std::string toJson(const NodeModel& node)
{
    const Json json{
        {"name", node.name},
        {"description", node.description},
        {"device", deviceJson(node.device)},
        {"devices", node.devices},
        {"device_links", linksJson(node.deviceLinks)},
        {"network", linksJson(node.network)},
        {"host_link", node.hostLink},
        {"host_memory", exactBytes(node.hostMemory)},
        {"host_bandwidth", node.hostBandwidth},
        {"price",
         {{"per_hour", node.price.perHour}, {"currency", node.price.currency}, {"date", node.price.date}}}};
    return json.dump(2);
}

} // namespace trainyard
