#pragma once

#include <filesystem>
#include <string>

namespace trainyard {

/// Names the hardware of a run's hosts from its inventory.json, without their names: "2 hosts with 8 x NVIDIA
/// H100 80GB HBM3", "1 host with AMD EPYC, 2 cores, 23.5 GiB of memory". Empty when the file does not say.
std::string hardwareText(const std::filesystem::path& inventory);

} // namespace trainyard
