#pragma once

#include <filesystem>
#include <memory>

#include <c10/util/ThreadLocalDebugInfo.h>

namespace trainyard {

/// A trace of what ATen and, where there is one, the device does, from now on until it is saved: the format
/// of chrome://tracing. Begins and ends on the thread that trains. While it lives the ledger of a device
/// counts nothing, for both are the thread's profiler.
class StepProfile {
public:
    StepProfile();
    void save(const std::filesystem::path& file);

private:
    std::shared_ptr<c10::ThreadLocalDebugInfo> m_accounting; ///< as it was before
};

} // namespace trainyard
