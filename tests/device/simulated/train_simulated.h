#pragma once

#include <filesystem>

#include "tests/auto/training/train_as_threads.h"

namespace trainyard {

/// trainAsThreads() with a simulated device per rank, each in a DeviceSession as the worker has it.
Status trainOnSimulatedDevices(const std::filesystem::path& directory, const RunSpec& spec,
                               TrainOptions options = {});

} // namespace trainyard
