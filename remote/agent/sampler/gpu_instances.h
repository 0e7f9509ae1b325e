#pragma once

#include <string_view>
#include <vector>

#include "remote/agent/sampler/nvidia_smi.h"

namespace trainyard::agent {

/// Adds the instances of GPUs that are cut into such (MIG), from `nvidia-smi -L`, with the memory that their
/// profiles name.
void addInstances(std::string_view list, std::vector<GpuFacts>& gpus);

/// Sets the memory of the instances from `nvidia-smi -q -x`, which does not name them: the n-th of a GPU is
/// the n-th of the list.
void addInstanceMemory(std::string_view xml, std::vector<GpuFacts>& gpus);

/// Returns what a rank can have for itself: GPUs, and in place of those that are cut into instances these.
std::vector<GpuFacts> computeDevices(const std::vector<GpuFacts>& gpus);

/// Returns those that `names` lists, in its order: indices of GPUs, which mean all instances of a GPU that is
/// cut into such, or the beginning of a UUID. All of them when it is empty; names that mean none are left
/// out.
std::vector<GpuFacts> devicesNamed(const std::vector<std::string>& names,
                                   const std::vector<GpuFacts>& computeDevices);

} // namespace trainyard::agent
