#pragma once

#include <string>

#include "engine/base/ids.h"

namespace trainyard {

class RankLog;
class StepJournal;

/// Makes sure that this rank does not die silently: an uncaught exception, a broken invariant (abort) and a
/// fatal signal leave a line `error: ...` in the rank's log and, where there is a journal, an event. Only
/// SIGKILL leaves nothing; then the flight ring and the supervisor speak. One object per process.
///
/// Exceptions are best left uncaught: then nothing is unwound, and the communication thread keeps the buffers
/// that it may be working on until MpiProcess::abort() ends all ranks with the status of a failed run.
class FinalEventWriter {
public:
    /// The log outlives this object.
    FinalEventWriter(Rank rank, const RankLog& log);
    ~FinalEventWriter();
    FinalEventWriter(const FinalEventWriter&) = delete;
    FinalEventWriter& operator=(const FinalEventWriter&) = delete;

    /// From now on the last word goes to this journal too; null: no longer.
    void attach(StepJournal* journal);
    /// Something that may be the cause of the end that follows; any thread.
    void note(const char* kind, const std::string& message);
    /// Reports the reason now: the process is about to end. Only the first report counts.
    void say(const char* kind, const std::string& message);
};

} // namespace trainyard
