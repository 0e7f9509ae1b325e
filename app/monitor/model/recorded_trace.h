#pragma once

#include <cstdint>
#include <map>

#include <QStringList>

#include "engine/base/result.h"
#include "engine/records/record.h"

namespace trainyard {

/// The passes of a trace written by CollectiveTrace::toChromeTrace().
struct RecordedTrace {
    QStringList ranks; ///< "rank 1 on gpu-03", by rank
    /// Steps with passes of all ranks, by number. Their rows are ranks of the run, not pipeline ranks; they
    /// start with the earliest pass of any rank.
    std::map<std::int64_t, PipelineTrace> steps;
};

/// Reads a trace. BadInput naming the file when it cannot be read, is not a trace, or has no passes of ours.
/// Any thread.
Result<RecordedTrace> readRecordedTrace(const QString& file);

} // namespace trainyard
