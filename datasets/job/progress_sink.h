#pragma once

#include <memory>
#include <vector>

#include "engine/records/journal.h"
#include "engine/records/record.h"

namespace trainyard {

/// Pseudo-stage with the current memory use of the process in bytes; reported with the stages.
constexpr const char* kMemoryStage = "memory";
/// Pseudo-stage with the free bytes on the disk that the job writes to.
constexpr const char* kDiskStage = "disk";

/// Output for progress. One thread at a time.
class ProgressSink {
public:
    virtual ~ProgressSink() = default;
    /// Shows the stages that changed since the last call.
    virtual void show(const std::vector<ProgressRecord>& stages) = 0;
    virtual void event(const EventRecord& event) = 0;
    /// Shows how the job ended; no call follows. On a terminal the program itself prints the error.
    virtual void finish(const EventRecord& lastWord) = 0;
};

/// Appends records to the stream "prepare" of a run directory.
std::unique_ptr<ProgressSink> journalSink(JournalWriter journal);

/// One line on stderr, rewritten in place when stderr is a terminal, else one line per finished stage.
std::unique_ptr<ProgressSink> terminalSink();

} // namespace trainyard
