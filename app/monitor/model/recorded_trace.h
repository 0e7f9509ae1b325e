#pragma once

#include <cstdint>
#include <map>

#include <QStringList>

#include "engine/base/result.h"
#include "engine/records/record.h"

namespace trainyard {

/// The passes of a trace that Trainyard has recorded (CollectiveTrace::toChromeTrace()).
struct RecordedTrace {
    QStringList ranks; ///< "rank 1 on gpu-03", by rank
    /// By number, of those that all ranks have passes of. Their rows are ranks of the run, not pipeline
    /// ranks; they begin with the earliest pass of any rank.
    std::map<std::int64_t, PipelineTrace> steps;
};

/// BadInput naming the file when it cannot be read, is no trace, or is one of another program, without passes
/// of ours. Any thread.
Result<RecordedTrace> readRecordedTrace(const QString& file);

} // namespace trainyard
