#include "app/cli/support/hardware_input.h"

#include <algorithm>
#include <filesystem>
#include <map>

#include <fmt/format.h>

#include "engine/base/file.h"
#include "engine/planner/hardware/hardware_json.h"
#include "engine/spec/hardware_name.h"
#include "remote/target/data_dirs.h"

namespace trainyard {

namespace {

Error noHardware(std::size_t node)
{
    return badInput(fmt::format("cluster.nodes[{}].hardware is not set", node),
                    "set it to the hardware of the node, or give --hardware");
}

} // namespace

HardwareLibrary deskHardware()
{
    return HardwareLibrary(dataDir() / "hardware");
}

std::string specHardwareName(const std::string& hardware)
{
    std::error_code error;
    return isHardwareName(hardware) && !std::filesystem::exists(hardware, error) ? hardware : std::string();
}

Result<NodeModel> readHardwareInput(const std::string& hardware)
{
    if (!specHardwareName(hardware).empty())
        return deskHardware().find(hardware);
    const auto text = readFile(hardware);
    if (!text.ok())
        return badInput("\"" + hardware + "\" is neither a known hardware name nor a readable file",
                        "see resources/presets/hardware");
    ParsedNode parsed = parseNode(*text);
    if (!parsed.diagnostics.empty())
        return toError(parsed.diagnostics).in(hardware);
    if (parsed.node.name.empty())
        parsed.node.name = hardware;
    return std::move(parsed.node);
}

Result<std::string> hardwareFor(const RunSpec& spec, const std::string& hardware)
{
    if (!hardware.empty())
        return hardware;
    const std::vector<NodeSpec>& nodes = spec.cluster.nodes;
    const std::string& first = nodes.front().hardware;
    if (first.empty())
        return noHardware(0);
    for (const NodeSpec& node : nodes) {
        if (node.hardware != first)
            return badInput(fmt::format("cluster.nodes: {} is \"{}\", and {} is \"{}\"", nodes.front().host,
                                        first, node.host, node.hardware),
                            "name one kind of node with --hardware");
    }
    return first;
}

Result<NodeModel> nodeFor(const RunSpec& spec, const std::string& hardware)
{
    TRAINYARD_TRY(const std::string name, hardwareFor(spec, hardware));
    TRAINYARD_TRY(NodeModel node, readHardwareInput(name));
    for (const NodeSpec& host : spec.cluster.nodes)
        node.devices = hardware.empty() ? std::min(node.devices, host.slotCount) : node.devices;
    return node;
}

Result<std::vector<NodeModel>> readNodes(const RunSpec& spec, const std::string& hardware)
{
    std::map<std::string, NodeModel> known;
    std::vector<NodeModel> nodes;
    for (std::size_t i = 0; i < spec.cluster.nodes.size(); ++i) {
        const std::string& name = hardware.empty() ? spec.cluster.nodes[i].hardware : hardware;
        if (name.empty())
            return noHardware(i);
        if (!known.contains(name)) {
            TRAINYARD_TRY(NodeModel node, readHardwareInput(name));
            known.emplace(name, std::move(node));
        }
        nodes.push_back(known.at(name));
    }
    return nodes;
}

} // namespace trainyard
