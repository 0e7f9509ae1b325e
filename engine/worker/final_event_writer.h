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
/// that it may be working on until MpiProcess::abort() ends all ranks with the status of failureOf(). A
/// broken invariant ends them as a failed run, too; SIGABRT from outside stays a signal.
///
/// One thread ends the process: the first that wants to. Others that fail meanwhile, as a rule because of
/// the same thing, wait for that end where they are. It comes whatever hangs: a journal on a disk that no
/// longer responds gets 20 s.
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
    /// Reports the reason now: the run ends in good order, on all ranks. Only the first report counts. Does
    /// not return while another thread ends the process.
    void say(const char* kind, const std::string& message);
    /// Reports the reason of an end that the calling thread brings about at once, by MpiProcess::abort(). Any
    /// thread; it does not return on any but the first one.
    void beginEnd(const char* kind, const std::string& message);
};

} // namespace trainyard
