#include "engine/hand_over/training_history.h"

#include <algorithm>
#include <map>

#include "engine/records/journal.h"

namespace trainyard {

namespace {

/// What is kept of a step: the records of a long run, with every rank's figures, would fill the memory.
struct StepFacts {
    CurvePoint point;
    std::int64_t tokens = 0;
    double seconds = 0;
    bool isSkipped = false;
};

class Collector {
public:
    explicit Collector(Step last) : m_last(last.value) {}

    void add(const Record& record)
    {
        if (const auto* step = std::get_if<StepRecord>(&record.payload))
            addStep(*step, record.attempt);
        else if (const auto* evaluation = std::get_if<EvaluationRecord>(&record.payload))
            addEvaluation(*evaluation);
    }

    TrainingHistory history() const
    {
        TrainingHistory history;
        history.curve = curve();
        for (const auto& [step, evaluation] : m_evaluations)
            history.evaluations.push_back(evaluation);
        history.steps = static_cast<std::int64_t>(m_steps.size());
        history.attempts = m_attempts;
        for (const auto& [number, step] : m_steps) {
            history.skipped += step.isSkipped ? 1 : 0;
            history.tokens += step.tokens;
            history.seconds += step.seconds;
        }
        return history;
    }

private:
    void addStep(const StepRecord& record, std::uint32_t attempt)
    {
        if (record.step > m_last)
            return;
        m_attempts = std::max(m_attempts, attempt);
        m_steps[record.step] = {
            {record.step, record.loss, record.mlmLoss, record.nspLoss, record.learningRate},
            record.tokens,
            record.stepSeconds,
            record.skipped};
    }

    void addEvaluation(const EvaluationRecord& record)
    {
        if (record.step <= m_last)
            m_evaluations[record.step] = record;
    }

    std::vector<CurvePoint> curve() const
    {
        std::vector<CurvePoint> all;
        for (const auto& [number, step] : m_steps)
            all.push_back(step.point);
        if (all.size() <= kCurvePoints)
            return all;
        std::vector<CurvePoint> few;
        for (std::size_t i = 0; i < kCurvePoints; ++i)
            few.push_back(all[i * (all.size() - 1) / (kCurvePoints - 1)]);
        return few;
    }

    std::int64_t m_last;
    std::uint32_t m_attempts = 0;
    std::map<std::int64_t, StepFacts> m_steps;
    std::map<std::int64_t, EvaluationRecord> m_evaluations;
};

} // namespace

Result<TrainingHistory> readTrainingHistory(const std::filesystem::path& journal, Step last)
{
    Collector collector(last);
    const auto take = [&collector](const std::vector<Record>& records) {
        for (const Record& record : records)
            collector.add(record);
    };
    TRAINYARD_TRY_STATUS(scanJournal(journal, take));
    return collector.history();
}

} // namespace trainyard
