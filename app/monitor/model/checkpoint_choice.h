#pragma once

#include <QList>
#include <QString>

#include "engine/records/record.h"

namespace trainyard {

class OpenRun;
class RunSeries;
struct RunCheckpoint;
struct RunFacts;
struct RunStatus;

// Texts about the checkpoints of a run and what can be done with them. The rules are those of
// engine/checkpoint/FORMAT.md, "Which checkpoint a start takes".

/// Describes the state of a checkpoint and its reason in one or two sentences.
QString sentenceOf(const RunCheckpoint& checkpoint);

/// Returns why no resume can start from this one of `all`; empty = it can.
QString whyNotFrom(const RunCheckpoint& checkpoint, const QList<RunCheckpoint>& all);
/// Returns why the run cannot be resumed now; empty = it can.
QString whyNotResumed(const RunFacts& facts, const RunStatus& status);

/// Describes the checkpoints of `all` that a resume from `checkpoint` turns into an abandoned branch; empty =
/// none, so no confirmation is needed.
QString abandonedBranchText(const RunCheckpoint& checkpoint, const QList<RunCheckpoint>& all);

/// Returns when a run without checkpoints writes its first one.
QString whenTheFirstIsDue(const RunFacts& facts, RunState state);

/// Counts the records of the run that change its list of checkpoints.
qsizetype checkpointNews(const RunSeries& series);

} // namespace trainyard
