#pragma once

#include <filesystem>
#include <memory>
#include <mutex>
#include <optional>

#include "engine/base/result.h"
#include "engine/records/journal.h"

namespace trainyard {

/// The stream "steps" of a run, written by rank 0. The training thread writes steps; whoever has a last word
/// to say may write an event. After a failed write (disk full) nothing more is written and status() says why.
class StepJournal {
public:
    static Result<std::unique_ptr<StepJournal>> open(const std::filesystem::path& folder,
                                                     std::uint32_t attempt);

    void write(const Payload& payload);
    void event(Severity severity, std::string kind, std::string message, std::int64_t step = 0,
               std::optional<int> rank = std::nullopt);
    /// Makes everything written so far survive a power cut.
    void sync();
    Status status() const;

private:
    explicit StepJournal(JournalWriter writer) : m_writer(std::move(writer)) {}
    void note(const Status& status);

    mutable std::mutex m_mutex;
    JournalWriter m_writer;
    Status m_status;
};

} // namespace trainyard
