#include "engine/training/data/step_loader.h"

#include "engine/memory/memory_scope.h"

namespace trainyard {

StepLoader::StepLoader(MixedRows rows, const RunSpec& spec, Position position)
    : m_rows(std::move(rows))
    , m_batch(spec.batch)
    , m_ramp(spec.batch)
    , m_form(BatchForm::of(spec, position.pinned))
    , m_position(position)
    , m_consumedSamples(position.consumedSamples)
{
    TRAINYARD_CHECK(m_batch.micro * m_batch.accumulation * position.ranks.value == m_batch.global);
    m_thread = std::thread([this] { readAhead(); });
}

StepLoader::~StepLoader()
{
    {
        const std::lock_guard lock(m_mutex);
        m_stopping = true;
    }
    m_changed.notify_all();
    m_thread.join();
}

Result<StepInput> StepLoader::next()
{
    std::unique_lock lock(m_mutex);
    m_changed.wait(lock, [this] { return !m_ready.empty(); });
    // The error stays in the queue: every later call gets it too.
    if (!m_ready.front().ok())
        return m_ready.front().error();
    StepInput input = std::move(m_ready.front().value());
    m_ready.pop_front();
    lock.unlock();
    m_changed.notify_all();
    return input;
}

void StepLoader::readAhead()
{
    const MemoryScope scope(MemoryCategory::Data);
    std::unique_lock lock(m_mutex);
    for (;;) {
        m_changed.wait(lock, [this] { return m_stopping || m_ready.size() < kStepsAhead; });
        if (m_stopping)
            return;
        lock.unlock();
        // Unlocked: next() must not wait for the disk while a step is ready.
        Result<StepInput> input = readStep();
        const bool last = !input.ok();
        lock.lock();
        m_ready.push_back(std::move(input));
        m_changed.notify_all();
        if (last)
            return;
    }
}

Result<StepInput> StepLoader::readStep()
{
    const int global = m_ramp.globalAfter(m_consumedSamples - m_position.firstSample);
    const int sequences = global / m_position.ranks.value;
    const auto perRank = static_cast<std::uint64_t>(sequences);
    const std::uint64_t first =
        m_consumedSamples + perRank * static_cast<std::uint64_t>(m_position.rank.value);
    m_consumedSamples += static_cast<std::uint64_t>(global);
    StepInput input;
    for (int micro = 0; micro < sequences / m_batch.micro; ++micro) {
        TRAINYARD_TRY(MicroBatch batch,
                      readMicroBatch(first + static_cast<std::uint64_t>(micro) *
                                                 static_cast<std::uint64_t>(m_batch.micro)));
        input.targets += batch.batch.targetCount();
        input.sequences += batch.batch.sequences();
        input.tokens += batch.tokens;
        input.microBatches.push_back(std::move(batch));
    }
    return input;
}

Result<MicroBatch> StepLoader::readMicroBatch(std::uint64_t firstSample)
{
    RowBlock rows;
    std::vector<std::uint64_t> samples;
    for (std::uint64_t sample = firstSample; sample < firstSample + static_cast<std::uint64_t>(m_batch.micro);
         ++sample) {
        TRAINYARD_TRY(const RowView row, m_rows.row(sample));
        if (samples.empty())
            rows = emptyRows(*row.block);
        appendRow(rows, row);
        samples.push_back(sample);
    }
    return makeMicroBatch(rows, m_form, std::move(samples));
}

} // namespace trainyard
