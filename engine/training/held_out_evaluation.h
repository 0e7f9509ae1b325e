#pragma once

#include <array>
#include <functional>
#include <span>
#include <vector>

#include "engine/base/ids.h"
#include "engine/base/result.h"
#include "engine/comm/process_groups.h"
#include "engine/records/record.h"
#include "engine/spec/run_spec.h"
#include "engine/training/data/held_out_rows.h"
#include "engine/training/task_judge.h"
#include "engine/training/training_step.h"

namespace trainyard {

/// Evaluates the model on held-out rows, in the run's layout: exact means over all their tokens. Sums of the
/// micro-batches are added up in float64 in the order of the rows, whatever ranks they come from, so layouts
/// with the same micro-batch differ by the rounding of their passes alone. One thread; all ranks make the
/// same calls.
class HeldOutEvaluation {
public:
    /// `groups` and `step` outlive this object. `pinned`: a device copies batches from pinned memory.
    HeldOutEvaluation(const RunSpec& spec, const ProcessGroups& groups, TrainingStep& step, HeldOutRows rows,
                      bool pinned);

    const EvaluationSchedule& schedule() const { return m_rows.schedule(); }
    /// Called on every rank after each global batch, with the number of rows that are done.
    using OnBatch = std::function<void(std::uint64_t rows)>;

    /// With the weights as they are after `step`. The record is the same on every rank but for its time,
    /// which the caller measures, `best`, which it judges, and the metrics of a task, which rank 0 alone
    /// knows. A rank that cannot read its rows fails all.
    Result<EvaluationRecord> run(Step step, const OnBatch& onBatch = {});

private:
    /// Token loss, sequence loss, correct tokens, correct sequences and tokens of a micro-batch.
    static constexpr std::size_t kFigures = 5;
    using Sums = std::array<double, kFigures>;
    /// Of a global batch, over all ranks.
    struct BatchFigures {
        Sums sums{};
        std::vector<double> predictions; ///< taskPredictions() of its rows and of the filler behind them
    };

    Result<std::vector<LossSums>> evaluateHere(std::int64_t batch);
    BatchFigures addUp(const std::vector<LossSums>& here) const;
    std::span<const double> ofRows(const std::vector<double>& predictions) const;
    Status judge(EvaluationRecord& record, const std::vector<double>& predictions);
    EvaluationRecord recordOf(Step step, const Sums& sums) const;

    const ModelSpec m_model;
    const BatchSpec m_batch;
    const ProcessGroups& m_groups;
    TrainingStep& m_step;
    HeldOutRows m_rows;
    TaskJudge m_judge; // of rank 0
    const bool m_pinned;
};

} // namespace trainyard
