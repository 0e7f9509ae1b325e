#include "engine/device/host_devices.h"

#include <algorithm>
#include <optional>
#include <sstream>
#include <unistd.h>

#include <fmt/format.h>

#include "engine/base/file.h"
#include "engine/base/parsed_number.h"
#include "engine/spec/device_name.h"

namespace trainyard {

namespace fs = std::filesystem;

namespace {

constexpr std::string_view kDeviceFile = "nvidia";

/// nvidia0, nvidia1, ...: the minor numbers of the devices that this process may use. access(2) asks the
/// control group too and, unlike open(2), does not wake up the driver.
std::vector<int> usableMinors(const fs::path& folder)
{
    std::vector<int> minors;
    std::error_code error;
    for (const fs::directory_entry& file : fs::directory_iterator(folder, error)) {
        const std::string name = file.path().filename();
        const auto minor =
            name.starts_with(kDeviceFile) ? parsedNumber<int>(name.substr(kDeviceFile.size())) : std::nullopt;
        if (minor && ::access(file.path().c_str(), R_OK | W_OK) == 0)
            minors.push_back(*minor);
    }
    std::ranges::sort(minors);
    return minors;
}

/// What the driver tells of one device.
struct DriverEntry {
    std::string bus; ///< "0000:1b:00.0"
    std::string uuid;
    int minor = -1;
};

std::string trimmed(const std::string& text)
{
    const auto first = text.find_first_not_of(" \t");
    return first == std::string::npos ? std::string() : text.substr(first);
}

/// Lines such as "GPU UUID: \t GPU-8932f937-...", where a driver that is asleep writes question marks.
DriverEntry readEntry(const fs::path& folder)
{
    DriverEntry entry{folder.filename(), {}};
    const auto text = readFile(folder / "information");
    std::istringstream lines(text.ok() ? *text : std::string());
    for (std::string line; std::getline(lines, line);) {
        const auto colon = line.find(':');
        if (colon == std::string::npos)
            continue;
        const std::string value = trimmed(line.substr(colon + 1));
        if (line.starts_with("GPU UUID") && value.find('?') == std::string::npos)
            entry.uuid = value;
        if (line.starts_with("Device Minor"))
            entry.minor = parsedNumber<int>(value).value_or(-1);
    }
    return entry;
}

/// In the order of the bus, which is that of the folders' names.
std::vector<DriverEntry> driverEntries(const fs::path& folder)
{
    std::vector<DriverEntry> entries;
    std::error_code error;
    for (const fs::directory_entry& device : fs::directory_iterator(folder, error))
        entries.push_back(readEntry(device.path()));
    std::ranges::sort(entries, {}, &DriverEntry::bus);
    return entries;
}

/// A name of CUDA_VISIBLE_DEVICES; nothing for what CUDA does not take.
std::optional<OfferedDevice> deviceNamed(const std::string& entry, const std::vector<HostDevice>& host)
{
    if (entry.starts_with(kInstanceNamePrefix))
        return OfferedDevice{entry, entry};
    if (entry.starts_with(kGpuNamePrefix)) { // the beginning of a name is enough for CUDA
        const auto found =
            std::ranges::find_if(host, [&](const HostDevice& d) { return d.identity.starts_with(entry); });
        return OfferedDevice{entry, found == host.end() ? entry : found->identity};
    }
    const auto index = parsedNumber<std::size_t>(entry);
    if (!index || (!host.empty() && *index >= host.size()))
        return std::nullopt;
    return OfferedDevice{entry, host.empty() ? entry : host[*index].identity};
}

} // namespace

std::vector<HostDevice> hostDevices(const fs::path& root)
{
    const std::vector<int> minors = usableMinors(root / "dev");
    std::vector<HostDevice> devices;
    for (const DriverEntry& entry : driverEntries(root / "proc/driver/nvidia/gpus")) {
        if (std::ranges::find(minors, entry.minor) != minors.end())
            devices.push_back({entry.uuid.empty() ? entry.bus : entry.uuid});
    }
    if (devices.size() == minors.size())
        return devices;
    devices.clear(); // a container may hide what the driver tells, or show it of other devices
    for (const int minor : minors)
        devices.push_back({fmt::format("{}{}", kDeviceFile, minor)});
    return devices;
}

std::vector<OfferedDevice> visibleDevices(const char* visible, const std::vector<HostDevice>& host)
{
    std::vector<OfferedDevice> offered;
    if (!visible) {
        for (std::size_t index = 0; index < host.size(); ++index)
            offered.push_back({std::to_string(index), host[index].identity});
        return offered;
    }
    std::istringstream list(visible);
    for (std::string entry; std::getline(list, entry, ',');) {
        auto device = deviceNamed(entry, host);
        if (!device)
            break;
        offered.push_back(std::move(*device));
    }
    return offered;
}

} // namespace trainyard
