#include "engine/hand_over/hardware_text.h"

#include <map>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

#include "engine/base/counted.h"
#include "engine/base/file.h"
#include "engine/base/units.h"

namespace trainyard {

namespace {

using nlohmann::json;

std::string devicesText(const json& probe)
{
    const json devices = probe.value("devices", json::array());
    std::map<std::string, int> counts;
    for (const json& device : devices)
        ++counts[device.at("name").get<std::string>()];
    std::vector<std::string> texts;
    for (const auto& [name, count] : counts)
        texts.push_back(fmt::format("{} x {}", count, name));
    return fmt::format("{}", fmt::join(texts, ", "));
}

std::string processorText(const json& probe)
{
    const json& processor = probe.at("cpu");
    return fmt::format("{}, {}, {} of memory", processor.at("model").get<std::string>(),
                       counted(processor.at("cores").get<std::uint64_t>(), "core"),
                       formatBytes(probe.at("memory").at("total").get<Bytes>()));
}

std::string hostText(const json& host)
{
    const json& probe = host.at("probe");
    const std::string devices = devicesText(probe);
    return devices.empty() ? processorText(probe) : devices;
}

} // namespace

std::string hardwareText(const std::filesystem::path& inventory)
try {
    const auto text = readFile(inventory);
    if (!text.ok())
        return {};
    const json document = json::parse(*text);
    std::map<std::string, int> counts;
    for (const json& host : document.at("hosts"))
        ++counts[hostText(host)];
    std::vector<std::string> texts;
    for (const auto& [hardware, count] : counts)
        texts.push_back(
            fmt::format("{} with {}", counted(static_cast<std::uint64_t>(count), "host"), hardware));
    return fmt::format("{}", fmt::join(texts, "; "));
} catch (const json::exception&) {
    return {}; // another version's: the card does without it
}

} // namespace trainyard
