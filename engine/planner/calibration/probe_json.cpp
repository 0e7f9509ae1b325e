#include "engine/planner/calibration/probe_json.h"

#include <algorithm>
#include <cmath>

#include <nlohmann/json.hpp>

#include "engine/spec/bounded_json.h"
#include "engine/spec/field_reader.h"
#include "engine/spec/limits.h"

namespace trainyard {

namespace {

using Json = nlohmann::ordered_json;

void readPositive(FieldReader& reader, const char* key, double& number)
{
    reader.read(key, number);
    if (!(number > 0))
        reader.complain(key, "must be above 0", "give the measured value");
}

/// `valueOf` makes a value of a name, or nothing.
template <typename Enum, typename ValueOf>
void readNamed(FieldReader& reader, const char* key, Enum& value, ValueOf valueOf)
{
    std::string name;
    reader.read(key, name);
    if (const auto found = valueOf(name))
        value = *found;
    else
        reader.complain(key, "unknown value \"" + name + "\"", "the engine may be newer than this Trainyard");
}

void readProduct(FieldReader& reader, Probe& probe)
{
    reader.readEnum("type", probe.type);
    readPositive(reader, "rows", probe.product.rows);
    readPositive(reader, "columns", probe.product.columns);
    readPositive(reader, "depth", probe.product.depth);
    readPositive(reader, "copies", probe.product.copies);
}

void readProbe(FieldReader& reader, Probe& probe)
{
    readNamed(reader, "kind", probe.kind, probeKindFrom);
    readNamed(reader, "reach", probe.reach, probeReachFrom);
    if (probe.kind == ProbeKind::Product)
        readProduct(reader, probe);
    else if (probe.kind != ProbeKind::Launch)
        readPositive(reader, "bytes", probe.bytes);
    readPositive(reader, "seconds", probe.seconds);
    reader.read("spread", probe.spread);
    if (!(probe.spread >= 0))
        reader.complain("spread", "is below 0", "give a fraction of the median");
}

void readCount(FieldReader& reader, const char* key, int& count, int least)
{
    reader.read(key, count);
    if (count < least || count > kMaxRanks)
        reader.complain(key, "is out of range", "check the number");
}

void readMath(FieldReader& reader, ProcessorMath& math)
{
    readNamed(reader, "bfloat16", math.bfloat16, narrowProductsFrom);
    readNamed(reader, "float16", math.float16, narrowProductsFrom);
}

void readHardware(FieldReader& reader, ProbedHardware& hardware, Diagnostics& diagnostics)
{
    reader.read("device", hardware.device);
    reader.read("device_memory", hardware.deviceMemory);
    readCount(reader, "processors", hardware.processors, 0);
    reader.read("host_memory", hardware.hostMemory);
    reader.read("hosts", hardware.hosts);
    if (hardware.hosts.empty())
        reader.complain("hosts", "needs at least one host", "list the probed hosts");
    readCount(reader, "ranks_per_host", hardware.ranksPerHost, 1);
    if (reader.has("narrow_products"))
        readSection(reader, "narrow_products", diagnostics,
                    [&](FieldReader& math) { readMath(math, hardware.math.emplace()); });
    for (const auto& [key, bytes] :
         {std::pair{"device_memory", hardware.deviceMemory}, {"host_memory", hardware.hostMemory}}) {
        if (bytes == 0)
            reader.complain(key, "must be above 0", "give bytes");
    }
}

Json probeJson(const Probe& probe)
{
    Json json{{"kind", nameOf(probe.kind)}, {"reach", nameOf(probe.reach)}};
    if (probe.kind == ProbeKind::Product) {
        json["type"] = nameOf(probe.type);
        json["rows"] = probe.product.rows;
        json["columns"] = probe.product.columns;
        json["depth"] = probe.product.depth;
        json["copies"] = probe.product.copies;
    } else if (probe.kind != ProbeKind::Launch) {
        json["bytes"] = probe.bytes;
    }
    json["seconds"] = probe.seconds;
    json["spread"] = probe.spread;
    return json;
}

void readReport(FieldReader& reader, ProbeReport& report, Diagnostics& diagnostics)
{
    readSection(reader, "hardware", diagnostics,
                [&](FieldReader& hardware) { readHardware(hardware, report.hardware, diagnostics); });
    reader.readEnum("type", report.type);
    readItems(reader, "probes", diagnostics,
              [&](FieldReader& probe) { readProbe(probe, report.probes.emplace_back()); });
    reader.finish();
}

} // namespace

std::string toJson(const ProbeReport& report)
{
    const ProbedHardware& hardware = report.hardware;
    Json json{{"hardware",
               {{"device", hardware.device},
                {"device_memory", hardware.deviceMemory},
                {"processors", hardware.processors},
                {"host_memory", hardware.hostMemory},
                {"hosts", hardware.hosts},
                {"ranks_per_host", hardware.ranksPerHost}}},
              {"type", nameOf(report.type)},
              {"probes", Json::array()}};
    if (hardware.math)
        json["hardware"]["narrow_products"] = {{"bfloat16", nameOf(hardware.math->bfloat16)},
                                               {"float16", nameOf(hardware.math->float16)}};
    for (const Probe& probe : report.probes)
        json["probes"].push_back(probeJson(probe));
    return json.dump(2);
}

Result<ProbeReport> parseProbeReport(std::string_view text)
{
    const auto json = parseBoundedJson(text);
    if (!json.ok())
        return json.error().in("the probes");
    ProbeReport report;
    Diagnostics diagnostics;
    FieldReader reader(*json, "", diagnostics);
    readReport(reader, report, diagnostics);
    if (!diagnostics.empty())
        return toError(diagnostics).in("the probes");
    return report;
}

} // namespace trainyard
