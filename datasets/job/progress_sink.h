#pragma once

#include <memory>
#include <vector>

#include "engine/records/journal.h"
#include "engine/records/record.h"

namespace trainyard {

/// Not work but what the process holds in memory at the moment, in bytes; comes with the stages.
constexpr const char* kMemoryStage = "memory";
/// Nor this: bytes that are free on the disk that the job writes to.
constexpr const char* kDiskStage = "disk";

/// Where progress is shown. One thread at a time.
class ProgressSink {
public:
    virtual ~ProgressSink() = default;
    /// The stages that changed since the last call.
    virtual void show(const std::vector<ProgressRecord>& stages) = 0;
    virtual void event(const EventRecord& event) = 0;
    /// How the job ended; nothing follows. On a terminal the program itself says why it failed.
    virtual void finish(const EventRecord& lastWord) = 0;
};

/// Appends records to the stream "prepare" of a run directory.
std::unique_ptr<ProgressSink> journalSink(JournalWriter journal);

/// One line on stderr, rewritten in place when stderr is a terminal, else one line per finished stage.
std::unique_ptr<ProgressSink> terminalSink();

} // namespace trainyard
