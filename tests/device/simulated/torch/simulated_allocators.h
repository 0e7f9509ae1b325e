#pragma once

#include <c10/core/Allocator.h>

namespace trainyard {

/// Under which LibTorch knows simulated devices.
constexpr c10::DeviceType kSimulatedType = c10::DeviceType::PrivateUse1;

/// Memory of the calling thread's device, reported as LibTorch's caching allocators report theirs.
c10::Allocator& simulatedAllocator();
/// Memory of the host that simulated devices copy from and to without stopping it.
c10::Allocator& simulatedPinnedAllocator();

/// While it lives, what the thread allocates counts as made by the operator.
class OperatorName {
public:
    /// `name` lives as long as the process.
    explicit OperatorName(const char* name);
    ~OperatorName();
    OperatorName(const OperatorName&) = delete;
    OperatorName& operator=(const OperatorName&) = delete;

    static const char* current();

private:
    const char* m_outer;
};

} // namespace trainyard
