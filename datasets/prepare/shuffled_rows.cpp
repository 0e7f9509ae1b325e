#include "datasets/prepare/shuffled_rows.h"

#include <atomic>
#include <chrono>

#include "datasets/job/parallel_tasks.h"
#include "datasets/prepare/instance_spill.h"
#include "datasets/prepare/output_place.h"
#include "datasets/prepare/resume_notes.h"
#include "datasets/pretraining/counter_random.h"
#include "datasets/pretraining/instance_builder.h"

namespace trainyard {

namespace fs = std::filesystem;

namespace {

class ShuffledRows final : public FinalRows {
public:
    ShuffledRows(InstanceSpill spill, std::uint64_t dropped) : m_spill(std::move(spill)), m_dropped(dropped)
    {
    }

    std::uint64_t count() const override { return m_spill.size(); }
    Status visit(std::uint64_t first, std::uint64_t count, const Take& take) const override
    {
        return m_spill.visit(first, count, take);
    }
    std::uint64_t bytesPerReader() const override { return m_spill.bytesPerReader(); }
    std::uint64_t dropped() const override { return m_dropped; }

private:
    InstanceSpill m_spill;
    std::uint64_t m_dropped; ///< chunks without a row
};

/// Builds the instances of one kind of shard.
class Shuffle {
public:
    Shuffle(const InstanceWork& work, const fs::path& place, Progress& progress, const CancelFlag& cancel)
        : m_work(work)
        , m_spillFile(fs::path(place) += ".instances")
        , m_noteFile(fs::path(place) += ".json")
        , m_builder(work.settings, work.documents, work.ordinals, work.vocabulary)
        , m_progress(progress)
        , m_cancel(cancel)
    {
    }

    Result<std::unique_ptr<FinalRows>> run()
    {
        TRAINYARD_TRY(InstanceSpill spill, open());
        while (m_next < m_work.ordinals.size())
            TRAINYARD_TRY_STATUS(buildForAWhile(spill));
        TRAINYARD_TRY_STATUS(spill.seal());
        return std::unique_ptr<FinalRows>(std::make_unique<ShuffledRows>(std::move(spill), m_dropped.load()));
    }

private:
    Result<InstanceSpill> open()
    {
        const bool narrow = m_work.vocabulary.size() <= UINT16_MAX + 1u;
        TRAINYARD_TRY(const auto note, InstancesNote::load(m_noteFile));
        if (!note) {
            const auto shape = InstanceSpill::shapeFor(
                m_work.documents.tokens() * static_cast<std::uint64_t>(m_work.options.dupeFactor) *
                    sizeof(std::uint16_t),
                m_work.options.memoryBytes, narrow);
            m_buckets = shape.buckets;
            TRAINYARD_TRY_STATUS(removeUnnoted(m_spillFile));
            return InstanceSpill::create(m_spillFile, shape);
        }
        m_buckets = note->buckets;
        m_next = note->documents;
        m_dropped = note->dropped;
        m_progress.skip(Stage::Instances, m_work.passes.ofFirst(m_next));
        return InstanceSpill::resume(m_spillFile, {m_buckets, narrow}, note->spillBytes);
    }

    /// Runs until the next commit is due.
    Status buildForAWhile(InstanceSpill& spill)
    {
        using Clock = std::chrono::steady_clock;
        const Clock::time_point save = Clock::now() + m_work.options.saveEvery;
        TRAINYARD_TRY(m_next, runTasksUntil(
                                  m_work.options.threads, m_next, m_work.ordinals.size(),
                                  [&](std::size_t place) { return buildDocument(place, spill); },
                                  [&] { return Clock::now() >= save; }));
        TRAINYARD_TRY(const std::uint64_t bytes, spill.commit());
        return InstancesNote({m_next, m_buckets, bytes, m_dropped}).save(m_noteFile);
    }

    Status buildDocument(std::size_t place, InstanceSpill& spill)
    {
        Status status;
        const std::uint32_t ordinal = m_work.ordinals[place];
        for (std::uint32_t pass = 0; pass < m_work.passes.at(place); ++pass) {
            TRAINYARD_TRY_STATUS(m_cancel.check());
            m_dropped += m_builder.build(place, pass, [&](Instance&& instance, std::uint32_t number) {
                CounterRandom order(m_work.settings.seed, RandomStream::Order, ordinal, pass, number);
                if (status.ok())
                    status = spill.add({order.doubleWord(), ordinal, pass, number}, instance);
            });
            TRAINYARD_TRY_STATUS(status);
            m_progress.advance(Stage::Instances, 1);
        }
        return {};
    }

    const InstanceWork& m_work;
    fs::path m_spillFile;
    fs::path m_noteFile;
    InstanceBuilder m_builder;
    Progress& m_progress;
    const CancelFlag& m_cancel;
    std::uint64_t m_next = 0; ///< next document, as an index into the ordinals
    std::uint64_t m_buckets = 0;
    std::atomic<std::uint64_t> m_dropped{0};
};

} // namespace

Result<std::unique_ptr<FinalRows>> shuffleInstances(const InstanceWork& work, const fs::path& place,
                                                    Progress& progress, const CancelFlag& cancel)
{
    return Shuffle(work, place, progress, cancel).run();
}

} // namespace trainyard
