#pragma once

#include <filesystem>
#include <functional>
#include <vector>

#include "engine/base/result.h"
#include "engine/records/record.h"
#include "engine/spec/run_spec.h"
#include "tests/gpu/check/check_rank.h"

namespace trainyard {

/// A folder for the runs of all ranks of one machine, gone with rank 0's object.
class CheckFolder {
public:
    explicit CheckFolder(ProcessGroup& world);
    ~CheckFolder();
    CheckFolder(const CheckFolder&) = delete;
    CheckFolder& operator=(const CheckFolder&) = delete;

    std::filesystem::path dataset() const { return m_folder / "data"; }
    /// Another one at each call, the same on all ranks.
    std::filesystem::path nextRun() { return m_folder / std::to_string(++m_runs); }

private:
    std::filesystem::path m_folder;
    bool m_isOwner;
    int m_runs = 0;
};

struct CheckRunOptions {
    std::uint32_t attempt = 1;
    std::int64_t lastStep = 0; ///< 0: the specification's
    bool savesCheckpoints = false;
    std::function<void(Step)> afterStep{};
};

/// Trains on the device with all ranks.
Status trainOnDevice(CheckRank& rank, const std::filesystem::path& folder, const RunSpec& spec,
                     const CheckRunOptions& options = {});
/// Trains on this processor alone, without the other ranks.
Status trainOnProcessor(const std::filesystem::path& folder, const RunSpec& spec,
                        const CheckRunOptions& options = {});

} // namespace trainyard
