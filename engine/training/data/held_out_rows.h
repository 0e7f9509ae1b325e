#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "datasets/shards/manifest.h"
#include "datasets/shards/question_file.h"
#include "engine/base/result.h"
#include "engine/planner/evaluation_schedule.h"
#include "engine/spec/run_spec.h"
#include "engine/training/data/batch_maker.h"
#include "engine/training/data/mixed_rows.h"

namespace trainyard {

/// The test rows that a run evaluates on: the first ones in the manifest's order, the same in every layout;
/// of a mix those of the data sets that have some, by weight (evaluatedSets()). Each global batch is dealt to
/// data-parallel ranks and micro-batches as a step's is; behind the last row filler makes the micro-batches
/// as large as the others. One thread.
class HeldOutRows {
public:
    /// Of `training`, the manifest of the run's data set, or of the data set of evaluation.dataset. nullopt
    /// where the run does not evaluate. BadInput names the field or the file.
    static Result<std::optional<HeldOutRows>> open(const RunSpec& spec, const Manifest& training);
    /// Of a run on several data sets. `training`: the manifest of each of spec.dataset.sets().
    static Result<std::optional<HeldOutRows>> open(const RunSpec& spec,
                                                   const std::vector<Manifest>& training);

    const EvaluationSchedule& schedule() const { return m_schedule; }
    const std::string& manifestHash() const { return m_manifestHash; }
    /// UTF-8 bytes of text per token, of a mix the mean by weight; nullopt: a data set does not tell.
    std::optional<double> bytesPerToken() const { return m_bytesPerToken; }
    const std::filesystem::path& folder() const { return m_folder; } ///< of the data set
    const TaskDescription& task() const { return m_task; }           ///< of a data set for a task
    int sequenceLength() const { return m_sequenceLength; }
    /// The questions of the data set, read by open(); empty for the next caller and for other tasks.
    std::vector<HeldOutQuestion> takeQuestions() { return std::exchange(m_questions, {}); }

    /// One row by itself, without a batch. Requires number < schedule().rows.
    Result<RowView> row(std::uint64_t number) { return m_rows.row(number); }

    /// The micro-batches of a data-parallel rank in global batch `batch` of the evaluation, from 0. Requires
    /// batch < schedule().batches. `pinned`: in pinned memory of the host.
    Result<std::vector<MicroBatch>> read(std::int64_t batch, int dataRank, bool pinned);

private:
    static Result<std::optional<HeldOutRows>> openMix(const RunSpec& spec,
                                                      const std::vector<Manifest>& training);
    HeldOutRows(MixedRows rows, const Manifest& manifest, const RunSpec& spec,
                const EvaluationSchedule& schedule);
    static const std::string& folderOf(const RunSpec& spec);
    Result<MicroBatch> readMicroBatch(std::uint64_t firstRow);

    MixedRows m_rows;
    BatchSpec m_batch;
    BatchForm m_form;
    EvaluationSchedule m_schedule;
    std::string m_manifestHash;
    std::optional<double> m_bytesPerToken;
    std::filesystem::path m_folder;
    TaskDescription m_task;
    std::vector<HeldOutQuestion> m_questions;
    RowBlock m_empty; ///< of the rows' shape
    int m_sequenceLength;
};

} // namespace trainyard
