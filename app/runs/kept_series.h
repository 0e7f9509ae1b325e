#pragma once

#include <QString>

#include "app/runs/run_series.h"
#include "engine/base/result.h"
#include "engine/records/journal.h"

namespace trainyard {

/// The steps of a run as its series file has them: a copy of what the journal of steps says, which is the
/// truth.
struct KeptSeries {
    StepStream stream;  ///< as far as the journal was read when the file was written
    JournalEnd journal; ///< of the stream "steps": where reading goes on
};

/// BadInput when there is no file, when it is damaged, or when the run's journal is another one than the file
/// was made from.
Result<KeptSeries> readKeptSeries(const QString& runFolder);

/// Brings the file up to what the journal says now: appends what is new; writes it anew when it is missing or
/// damaged, or when a later attempt replaced steps. Does nothing for a short run, whose journal is read in no
/// time. Takes as long as reading the new part of the journal: not for the GUI thread.
Status keepSeries(const QString& runFolder);

/// Makes the file anew from the journal if any byte of it is damaged; true when it was. Reads all of it: not
/// for the GUI thread.
Result<bool> mendSeries(const QString& runFolder);

constexpr qsizetype kMinKeptSteps = kChunkRows;

} // namespace trainyard
