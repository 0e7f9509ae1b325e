#include "remote/agent/usage/device_need.h"

#include <algorithm>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "engine/base/parsed_number.h"
#include "engine/spec/device_name.h"

namespace trainyard::agent {

namespace {

std::vector<std::string_view> parts(std::string_view text, char separator)
{
    std::vector<std::string_view> parts;
    for (;;) {
        const auto end = text.find(separator);
        parts.push_back(text.substr(0, end));
        if (end == std::string_view::npos)
            return parts;
        text.remove_prefix(end + 1);
    }
}

Result<DeviceNeed> parseNeed(std::string_view text)
{
    const auto colon = text.find(':');
    const auto ranks = parsedNumber<int>(text.substr(0, colon));
    if (!ranks || *ranks < 0)
        return badInput(fmt::format("\"{}\" does not begin with a number of ranks", text));
    DeviceNeed need{*ranks};
    if (colon == std::string_view::npos)
        return need;
    for (const std::string_view name : parts(text.substr(colon + 1), '+')) {
        if (!isDeviceName(name))
            return badInput(fmt::format("\"{}\" is not a device", name));
        need.devices.emplace_back(name);
    }
    return need;
}

} // namespace

std::string textOf(const std::vector<DeviceNeed>& nodes)
{
    std::vector<std::string> texts;
    for (const DeviceNeed& need : nodes)
        texts.push_back(need.devices.empty()
                            ? std::to_string(need.ranks)
                            : fmt::format("{}:{}", need.ranks, fmt::join(need.devices, "+")));
    return fmt::format("{}", fmt::join(texts, ","));
}

Result<std::vector<DeviceNeed>> parseDeviceNeeds(std::string_view text)
{
    std::vector<DeviceNeed> needs;
    for (const std::string_view part : parts(text, ',')) {
        TRAINYARD_TRY(DeviceNeed need, parseNeed(part));
        needs.push_back(std::move(need));
    }
    return needs;
}

// OpenMPI numbers its daemons in the order of the hosts, mpirun itself being 0.
std::size_t daemonNumber(const std::vector<std::string>& command)
{
    const auto found = std::ranges::find(command, "ess_base_vpid");
    if (found == command.end() || found + 1 == command.end())
        return 0;
    std::string number = *(found + 1);
    std::erase(number, '"');
    return parsedNumber<std::size_t>(number).value_or(0);
}

} // namespace trainyard::agent
