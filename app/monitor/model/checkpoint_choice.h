#pragma once

#include <QList>
#include <QString>

#include "engine/records/record.h"

namespace trainyard {

class OpenRun;
class RunSeries;
struct RunCheckpoint;
struct RunFacts;

// What can be done with the checkpoints of a run, in words. The rules are those of
// engine/checkpoint/FORMAT.md, "Which checkpoint a start takes".

/// One or two sentences about a checkpoint: how it is, and why.
QString sentenceOf(const RunCheckpoint& checkpoint);

/// Why no resume can start from this one of `all`; empty = one can.
QString whyNotFrom(const RunCheckpoint& checkpoint, const QList<RunCheckpoint>& all);
/// Why the run cannot be resumed at all now; empty = it can.
QString whyNotResumed(const RunFacts& facts, RunState state);

/// What of `all` a resume from `checkpoint` leaves behind as an abandoned branch, for the question before it;
/// empty = nothing, so that nothing needs to be asked.
QString whatIsLeftBehind(const RunCheckpoint& checkpoint, const QList<RunCheckpoint>& all);

/// When a run that has no checkpoint writes its first one.
QString whenTheFirstIsDue(const RunFacts& facts, RunState state);

/// How often the run has told of something that changes what a list of its checkpoints shows.
qsizetype checkpointNews(const RunSeries& series);

} // namespace trainyard
