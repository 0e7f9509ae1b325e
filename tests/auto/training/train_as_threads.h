#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <vector>

#include "engine/base/result.h"
#include "engine/comm/threads_transport.h"
#include "engine/nn/device.h"
#include "engine/spec/run_spec.h"

namespace trainyard {

class DeviceTimer;
class MemoryLedger;

/// What a rank measures on its device.
struct DeviceFigures {
    MemoryLedger* memory = nullptr;
    DeviceTimer* timer = nullptr;
};

struct TrainOptions {
    std::uint32_t attempt = 1;
    std::int64_t lastStep = 0; ///< 0: the specification's
    TransportDecorator decorate{};
    Device device{};
    /// Run directories by rank: ranks with another one than rank 0 are on another host. Empty: all are on
    /// one.
    std::vector<std::filesystem::path> directories{};
    /// Makes the layout's groups from the maker of the rank's; without it they are that one's own.
    std::function<std::unique_ptr<GroupMaker>(GroupMaker&)> wrapMaker{};
    /// Of the device whose groups the wrapped maker makes.
    std::function<DeviceFigures(GroupMaker&)> deviceFigures{};
};

/// Runs the directory's specification with ranks as threads; what all ranks were told at the end.
Status trainAsThreads(const std::filesystem::path& directory, const RunSpec& spec, TrainOptions options = {});

} // namespace trainyard
