#include "engine/planner/hardware/hardware_json.h"

#include <algorithm>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "engine/spec/bounded_json.h"
#include "engine/spec/field_reader.h"
#include "engine/spec/limits.h"

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

// Far beyond every machine there is, and near enough that what is planned with them is finite.
constexpr double kMaxRate = 1e24; ///< a second; at least 1
constexpr double kMaxSeconds = 3600;
constexpr double kMinShare = 1e-6;
constexpr double kMaxFactor = 1e6; ///< and as small at least
constexpr double kMaxPrice = 1e9;  ///< an hour

/// Complains where the rate is missing, not above 0, or of no machine.
void readRate(FieldReader& reader, const char* key, double& rate)
{
    reader.read(key, rate);
    if (!(rate > 0))
        reader.complain(key, "must be above 0", "give the vendor's figure, or a measured one");
    else if (rate < 1 || rate > kMaxRate)
        reader.complain(key, fmt::format("must be from 1 to {:g} a second", kMaxRate),
                        "give it in operations or bytes per second");
}

void readSeconds(FieldReader& reader, const char* key, double& seconds)
{
    reader.read(key, seconds);
    if (!(seconds >= 0))
        reader.complain(key, "is below 0", "give seconds, e.g. 2e-5");
    else if (seconds > kMaxSeconds)
        reader.complain(key, fmt::format("must be at most {} s", kMaxSeconds), "give seconds, e.g. 2e-5");
}

void readShare(FieldReader& reader, const char* key, double& share)
{
    reader.read(key, share);
    if (!(share >= kMinShare) || share > 1)
        reader.complain(key, fmt::format("must be from {} to 1", kMinShare), "give a fraction, e.g. 0.8");
}

void readCount(FieldReader& reader, const char* key, int& count, int least)
{
    reader.read(key, count);
    if (count < least || count > kMaxRanks)
        reader.complain(key, fmt::format("must be from {} to {}", least, kMaxRanks), "check the number");
}

void readSize(FieldReader& reader, const char* key, Bytes& size)
{
    Bytes read = 1; // what is written wrongly is complained about once
    reader.readBytes(key, read);
    if (!reader.has(key) || read == 0)
        reader.complain(key, "must be above 0", "give the size with its unit, e.g. \"80 GiB\"");
    size = read;
}

/// A section that no node can do without.
template <typename Fields>
void readPart(FieldReader& parent, const char* key, Diagnostics& diagnostics, Fields fields)
{
    if (!parent.has(key))
        parent.complain(key, "is missing", "see resources/presets/hardware for one");
    readSection(parent, key, diagnostics, fields);
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
    readSize(reader, "memory", device.memory);
    readPart(reader, "peak", diagnostics, [&](FieldReader& peak) { readPeak(peak, device.peak); });
    readRate(reader, "memory_bandwidth", device.memoryBandwidth);
    readCount(reader, "processors", device.processors, 0);
    readShare(reader, "product_efficiency", device.productEfficiency);
    readShare(reader, "traffic_efficiency", device.trafficEfficiency);
    readSeconds(reader, "kernel_time", device.kernelTime);
    readSeconds(reader, "launch_time", device.launchTime);
}

void readPoints(FieldReader& reader, LinkTable& table, Diagnostics& diagnostics)
{
    readItems(reader, "points", diagnostics, [&](FieldReader& point) {
        LinkPoint& read = table.points.emplace_back();
        readSize(point, "size", read.size);
        readRate(point, "bandwidth", read.bandwidth);
    });
    const auto notAscending = [](const LinkPoint& a, const LinkPoint& b) { return a.size >= b.size; };
    if (table.points.empty() || std::ranges::adjacent_find(table.points, notAscending) != table.points.end())
        reader.complain("points", "needs at least one point, in order of size, each size once",
                        "a single point is a constant bandwidth");
}

void readGroups(FieldReader& reader, LinkTable& table, Diagnostics& diagnostics)
{
    readItems(reader, "groups", diagnostics, [&](FieldReader& group) {
        GroupShare& read = table.groups.emplace_back();
        readCount(group, "ranks", read.ranks, 1);
        readShare(group, "share", read.share);
    });
    const auto notAscending = [](const GroupShare& a, const GroupShare& b) { return a.ranks >= b.ranks; };
    if (std::ranges::adjacent_find(table.groups, notAscending) != table.groups.end())
        reader.complain("groups", "must be in order of ranks, each number once",
                        "put the smallest group first");
}

void readLinks(FieldReader& reader, LinkTable& table, Diagnostics& diagnostics)
{
    readSeconds(reader, "latency", table.latency);
    readPoints(reader, table, diagnostics);
    readGroups(reader, table, diagnostics);
}

void readProducts(FieldReader& reader, const char* key, NarrowProducts& products)
{
    std::string name(nameOf(products));
    reader.read(key, name);
    if (const auto found = narrowProductsFrom(name))
        products = *found;
    else
        reader.complain(key, "unknown value \"" + name + "\"", "use native, widened or portable");
}

void readMath(FieldReader& reader, ProcessorMath& math)
{
    readProducts(reader, "bfloat16", math.bfloat16);
    readProducts(reader, "float16", math.float16);
}

void readPrice(FieldReader& reader, Price& price)
{
    reader.read("per_hour", price.perHour);
    if (!(price.perHour >= 0))
        reader.complain("per_hour", "is below 0", "use 0 if unknown");
    else if (price.perHour > kMaxPrice)
        reader.complain("per_hour", fmt::format("must be at most {:g}", kMaxPrice),
                        "give the price of one node per hour");
    reader.read("currency", price.currency);
    if (price.currency.empty())
        reader.complain("currency", "is empty", "name it, e.g. \"USD\"");
    reader.read("date", price.date);
}

void readFactors(FieldReader& reader, TimeCoefficients& coefficients)
{
    for (std::size_t i = 0; i < kTimeFactors; ++i) {
        const std::string name(nameOf(static_cast<TimeFactor>(i)));
        double& factor = coefficients.factors[i];
        reader.read(name.c_str(), factor);
        if (!(factor > 0))
            reader.complain(name.c_str(), "must be above 0", "1 means no correction");
        else if (factor < 1 / kMaxFactor || factor > kMaxFactor)
            reader.complain(name.c_str(),
                            fmt::format("must be from {:g} to {:g}", 1 / kMaxFactor, kMaxFactor),
                            "1 means no correction");
    }
}

void readCalibration(FieldReader& reader, NodeCalibration& calibration, Diagnostics& diagnostics)
{
    reader.read("date", calibration.date);
    reader.read("hosts", calibration.hosts);
    reader.read("error_band", calibration.errorBand);
    if (!(calibration.errorBand >= 0))
        reader.complain("error_band", "is below 0", "give a fraction, e.g. 0.15");
    else if (calibration.errorBand > kMaxFactor)
        reader.complain("error_band", fmt::format("must be at most {:g}", kMaxFactor),
                        "give a fraction, e.g. 0.15");
    reader.read("measured_runs", calibration.measuredRuns);
    if (calibration.measuredRuns < 0)
        reader.complain("measured_runs", "is below 0", "check the number");
    reader.read("runs", calibration.runs);
    readSection(reader, "factors", diagnostics,
                [&](FieldReader& factors) { readFactors(factors, calibration.coefficients); });
}

void readNode(FieldReader& reader, NodeModel& node, Diagnostics& diagnostics)
{
    reader.read("name", node.name);
    reader.read("description", node.description);
    readPart(reader, "device", diagnostics,
             [&](FieldReader& device) { readDevice(device, node.device, diagnostics); });
    readCount(reader, "devices", node.devices, 1);
    readPart(reader, "device_links", diagnostics,
             [&](FieldReader& links) { readLinks(links, node.deviceLinks, diagnostics); });
    readPart(reader, "network", diagnostics,
             [&](FieldReader& links) { readLinks(links, node.network, diagnostics); });
    readRate(reader, "host_link", node.hostLink);
    readSize(reader, "host_memory", node.hostMemory);
    reader.read("shares_memory", node.sharesMemory);
    readRate(reader, "host_bandwidth", node.hostBandwidth);
    if (reader.has("narrow_products"))
        readSection(reader, "narrow_products", diagnostics,
                    [&](FieldReader& math) { readMath(math, node.math.emplace()); });
    readSection(reader, "price", diagnostics, [&](FieldReader& price) { readPrice(price, node.price); });
    if (reader.has("calibration"))
        readSection(reader, "calibration", diagnostics, [&](FieldReader& calibration) {
            readCalibration(calibration, node.calibration.emplace(), diagnostics);
        });
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

Json calibrationJson(const NodeCalibration& calibration)
{
    Json factors = Json::object();
    for (std::size_t i = 0; i < kTimeFactors; ++i)
        factors[std::string(nameOf(static_cast<TimeFactor>(i)))] = calibration.coefficients.factors[i];
    return {{"date", calibration.date},
            {"hosts", calibration.hosts},
            {"error_band", calibration.errorBand},
            {"measured_runs", calibration.measuredRuns},
            {"runs", calibration.runs},
            {"factors", std::move(factors)}};
}

} // namespace

ParsedNode parseNode(std::string_view text)
{
    ParsedNode parsed;
    const auto json = parseBoundedJson(text);
    if (!json.ok()) {
        parsed.diagnostics.push_back({"", json.error().message, json.error().hint});
        return parsed;
    }
    FieldReader reader(*json, "", parsed.diagnostics);
    readNode(reader, parsed.node, parsed.diagnostics);
    reader.finish();
    return parsed;
}

std::string toJson(const NodeModel& node)
{
    Json json{
        {"name", node.name},
        {"description", node.description},
        {"device", deviceJson(node.device)},
        {"devices", node.devices},
        {"device_links", linksJson(node.deviceLinks)},
        {"network", linksJson(node.network)},
        {"host_link", node.hostLink},
        {"host_memory", exactBytes(node.hostMemory)},
        {"shares_memory", node.sharesMemory},
        {"host_bandwidth", node.hostBandwidth},
        {"price",
         {{"per_hour", node.price.perHour}, {"currency", node.price.currency}, {"date", node.price.date}}}};
    if (node.math)
        json["narrow_products"] = {{"bfloat16", nameOf(node.math->bfloat16)},
                                   {"float16", nameOf(node.math->float16)}};
    if (node.calibration)
        json["calibration"] = calibrationJson(*node.calibration);
    return json.dump(2);
}

} // namespace trainyard
