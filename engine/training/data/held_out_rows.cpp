#include "engine/training/data/held_out_rows.h"

#include <algorithm>
#include <numeric>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "engine/base/check.h"
#include "engine/base/hash.h"
#include "engine/memory/memory_scope.h"
#include "engine/spec/data_set_rules.h"
#include "engine/training/data/held_out_mix.h"
#include "engine/training/data/sample_order.h"
#include "engine/training/data/training_data.h"

namespace trainyard {

namespace {

constexpr std::size_t kHeldOutBlocksInMemory = 2; // rows are read in order

/// The same numbers must mean the same classes.
Status sameLabels(const std::string& folder, const Manifest& heldOut, const Manifest& training)
{
    if (heldOut.task.labels == training.task.labels)
        return {};
    return badInput(fmt::format("evaluation.dataset: the labels of the data set {} are {}, and those of the "
                                "training rows {}",
                                folder, fmt::join(heldOut.task.labels, ", "),
                                fmt::join(training.task.labels, ", ")),
                    "prepare it with --labels, in the order of the training rows'");
}

/// A file that is damaged is better known now than at the first evaluation.
Result<std::vector<HeldOutQuestion>> questionsOf(const std::string& folder, const Manifest& manifest)
{
    if (manifest.taskKind() != TaskKind::Answer)
        return std::vector<HeldOutQuestion>();
    return readQuestions(std::filesystem::path(folder) / manifest.task.questionsFile);
}

Result<Manifest> heldOutManifest(const RunSpec& spec, const Manifest& training)
{
    if (spec.evaluation.dataset.empty())
        return training;
    auto manifest = Manifest::load(spec.evaluation.dataset);
    if (!manifest.ok())
        return manifest.error().in("evaluation.dataset");
    const Diagnostics problems =
        evaluationDataProblems(spec, dataSetShape(*manifest), training.sequenceLength);
    if (!problems.empty())
        return toError(problems);
    TRAINYARD_TRY_STATUS(sameLabels(spec.evaluation.dataset, *manifest, training));
    return manifest;
}

} // namespace

Result<std::optional<HeldOutRows>> HeldOutRows::open(const RunSpec& spec, const Manifest& training)
{
    if (!spec.evaluation.isOn())
        return std::optional<HeldOutRows>();
    TRAINYARD_TRY(const Manifest manifest, heldOutManifest(spec, training));
    const EvaluationSchedule schedule = evaluationSchedule(spec, manifest.testRows());
    if (!schedule.isOn())
        return std::optional<HeldOutRows>();
    TRAINYARD_TRY(auto questions, questionsOf(folderOf(spec), manifest));
    TRAINYARD_TRY(RowSource rows, RowSource::open(folderOf(spec), manifest, SampleOrder::Shape().rowsPerBlock,
                                                  kHeldOutBlocksInMemory, Split::Test));
    HeldOutRows opened(std::move(rows), manifest, spec, schedule);
    opened.m_questions = std::move(questions);
    return std::optional(std::move(opened));
}

const std::string& HeldOutRows::folderOf(const RunSpec& spec)
{
    return spec.evaluation.dataset.empty() ? spec.dataset.path : spec.evaluation.dataset;
}

Result<std::optional<HeldOutRows>> HeldOutRows::open(const RunSpec& spec,
                                                     const std::vector<Manifest>& training)
{
    const bool isMix = spec.dataset.isMix() && spec.evaluation.dataset.empty();
    return isMix ? openMix(spec, training) : open(spec, training.front());
}

Result<std::optional<HeldOutRows>> HeldOutRows::openMix(const RunSpec& spec,
                                                        const std::vector<Manifest>& training)
{
    const HeldOutMix mix(spec.dataset, training);
    const EvaluationSchedule schedule = evaluationSchedule(spec, mix.rows());
    if (!schedule.isOn())
        return std::optional<HeldOutRows>();
    TRAINYARD_TRY(MixedRows rows, mix.open(kHeldOutBlocksInMemory));
    HeldOutRows opened(std::move(rows), training.front(), spec, schedule);
    opened.m_manifestHash = mix.hash();
    opened.m_bytesPerToken = mix.bytesPerToken();
    return std::optional(std::move(opened));
}

HeldOutRows::HeldOutRows(MixedRows rows, const Manifest& manifest, const RunSpec& spec,
                         const EvaluationSchedule& schedule)
    : m_rows(std::move(rows))
    , m_batch(spec.batch)
    , m_form(BatchForm::of(spec, false))
    , m_schedule(schedule)
    , m_manifestHash(sha256Hex(manifest.toJson()))
    , m_bytesPerToken(manifest.testBytesPerToken())
    , m_folder(folderOf(spec))
    , m_task(manifest.task)
    , m_empty(emptyRows(manifest))
    , m_sequenceLength(manifest.sequenceLength)
{
}

Result<std::vector<MicroBatch>> HeldOutRows::read(std::int64_t batch, int dataRank, bool pinned)
{
    TRAINYARD_CHECK(batch < m_schedule.batches);
    const MemoryScope scope(MemoryCategory::Data);
    m_form.pinned = pinned;
    const std::int64_t first = batch * m_batch.global + dataRank * m_batch.micro * m_batch.accumulation;
    std::vector<MicroBatch> microBatches;
    for (int micro = 0; micro < m_batch.accumulation; ++micro) {
        TRAINYARD_TRY(MicroBatch next,
                      readMicroBatch(static_cast<std::uint64_t>(first + micro * m_batch.micro)));
        microBatches.push_back(std::move(next));
    }
    return microBatches;
}

Result<MicroBatch> HeldOutRows::readMicroBatch(std::uint64_t firstRow)
{
    const auto size = static_cast<std::uint64_t>(m_batch.micro);
    const std::uint64_t end = std::max(firstRow, std::min(firstRow + size, m_schedule.rows));
    RowBlock rows = m_empty;
    for (std::uint64_t number = firstRow; number < end; ++number) {
        TRAINYARD_TRY(const RowView row, m_rows.row(number));
        appendRow(rows, row);
    }
    appendFiller(rows, size - (end - firstRow));
    std::vector<std::uint64_t> numbers(size);
    std::iota(numbers.begin(), numbers.end(), firstRow);
    TRAINYARD_TRY(MicroBatch micro, makeMicroBatch(rows, m_form, std::move(numbers)));
    if (micro.batch.sequenceLabels.defined()) // filler has none
        micro.batch.sequenceLabels =
            micro.batch.sequenceLabels.narrow(0, 0, static_cast<std::int64_t>(end - firstRow));
    return micro;
}

} // namespace trainyard
