#include "engine/training/step_recorder.h"

#include <algorithm>

#include "engine/training/journal_ranks.h"
#include "engine/training/step_journal.h"

namespace trainyard {

StepRecorder::StepRecorder(ProcessGroup& group, const RankMemory& memory, StepJournal* journal)
    : m_group(group), m_memory(memory), m_journal(journal)
{
    startPeaks(m_memory);
}

void StepRecorder::record(Step step, const StepOutcome& outcome, std::uint64_t consumedSamples,
                          const SecondsByPhase& seconds)
{
    StepRecord record;
    std::vector<RankStats> ranks = gatherRankStats(m_group, takeRankStats(m_memory, seconds));
    if (!m_journal)
        return;
    record.step = step.value;
    record.loss = outcome.tokenLoss + outcome.sequenceLoss;
    record.mlmLoss = outcome.tokenLoss;
    record.nspLoss = outcome.sequenceLoss;
    record.learningRate = outcome.learningRate;
    record.gradientNorm = outcome.gradientNorm;
    for (const RankStats& rank : ranks)
        record.stepSeconds = std::max(record.stepSeconds, stepSeconds(rank));
    record.ranks = ranksForJournal(std::move(ranks), step, m_isFirst);
    m_isFirst = false;
    record.sequences = outcome.counts.sequences;
    record.tokens = outcome.counts.tokens;
    record.lossScale = outcome.lossScale;
    record.skipped = outcome.skipped;
    record.consumedSamples = static_cast<std::int64_t>(consumedSamples);
    m_journal->write(record);
}

} // namespace trainyard
