#pragma once

#include <filesystem>
#include <memory>
#include <mutex>
#include <optional>

#include "engine/base/result.h"
#include "engine/records/buffered_journal_writer.h"
#include "engine/records/fence.h"

namespace trainyard {

/// The stream "steps" of a run, written by rank 0. The training thread writes steps; any thread may write a
/// final event. While the disk is full, records are queued in memory. After the queue overflows or a newer
/// attempt begins, nothing more is written and status() returns the reason.
class StepJournal {
public:
    static Result<std::unique_ptr<StepJournal>> open(const std::filesystem::path& folder,
                                                     std::uint32_t attempt, Fence fence = {});

    void write(const Payload& payload);
    void event(Severity severity, std::string kind, std::string message, std::int64_t step = 0,
               std::optional<int> rank = std::nullopt);
    /// Makes everything written so far survive a power cut. Failed when that is not possible now; the journal
    /// stays usable.
    Status sync();
    Status status() const;

private:
    StepJournal(BufferedJournalWriter writer, Fence fence)
        : m_writer(std::move(writer)), m_fence(std::move(fence))
    {
    }
    void note(const Status& status);

    mutable std::mutex m_mutex;
    BufferedJournalWriter m_writer;
    Fence m_fence;
    Status m_status;
};

} // namespace trainyard
