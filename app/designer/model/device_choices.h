#pragma once

#include <string>
#include <vector>

#include <QString>

#include "engine/spec/run_spec.h"
#include "remote/preflight/host_report.h"

namespace trainyard {

/// A GPU of a host that the ranks there may be limited to.
struct GpuChoice {
    std::string name; ///< for NodeSpec::devices: the index or, of a part of a GPU, its UUID
    QString text;     ///< "0: NVIDIA H100, 80 GiB, used by anna"
    bool isChosen = false;
    bool isThere = true; ///< false: the node names it, and the last check of the host did not find it
};

/// Lists the GPUs that the last check of the host found, then those that the node names and the check did not
/// find. `report` may be null, before the first check: then only what the node names.
std::vector<GpuChoice> gpuChoices(const NodeSpec& node, const HostReport* report);

/// Returns the devices of the node with one chosen or not, in the order of the choices.
std::vector<std::string> devicesWith(const std::vector<GpuChoice>& choices, const std::string& name,
                                     bool chosen);

} // namespace trainyard
