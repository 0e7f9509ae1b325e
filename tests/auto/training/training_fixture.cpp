#include "tests/auto/training/training_fixture.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>

#include "datasets/shards/manifest.h"
#include "datasets/shards/shard_writer.h"
#include "engine/base/file.h"
#include "engine/base/hash.h"
#include "engine/records/journal.h"
#include "engine/spec/spec_json.h"
#include "engine/training/data/permutation.h"

namespace trainyard {

namespace {

/// Draws of one row, one after another.
class Draws {
public:
    Draws(std::uint64_t flavour, std::uint64_t row) : m_key(mixKey(flavour, row)) {}
    int below(int limit)
    {
        return static_cast<int>(mixKey(m_key, ++m_count) % static_cast<std::uint64_t>(limit));
    }

private:
    std::uint64_t m_key;
    std::uint64_t m_count = 0;
};

/// Tokens follow a pattern, so that there is something to learn; lengths and masked counts vary.
void fillRow(RowBlock& rows, std::size_t row, const DatasetShape& shape, Draws draws)
{
    const bool full = shape.full || shape.predictions == 0;
    const int shortest = full ? shape.length : std::min(12, shape.length);
    const int length = shortest + draws.below(shape.length - shortest + 1);
    const int first = 10 + draws.below(40);
    const std::size_t at = row * static_cast<std::size_t>(shape.length);
    for (int i = 0; i < length; ++i) {
        rows.inputIds[at + static_cast<std::size_t>(i)] = 10 + (first + 3 * i) % (shape.vocabulary - 10);
        rows.inputMask[at + static_cast<std::size_t>(i)] = 1;
        rows.segmentIds[at + static_cast<std::size_t>(i)] = i > length / 2;
    }
    const int masked = full ? shape.predictions : 1 + draws.below(shape.predictions);
    const std::size_t firstMasked = row * static_cast<std::size_t>(shape.predictions);
    for (std::size_t m = 0; m < static_cast<std::size_t>(masked); ++m) {
        const std::size_t position = 1 + 2 * m;
        rows.maskedPositions[firstMasked + m] = static_cast<std::int32_t>(position);
        rows.maskedIds[firstMasked + m] = rows.inputIds[at + position];
        rows.inputIds[at + position] = 4;
    }
    rows.nextSentenceLabels[row] = static_cast<std::int8_t>(first % 2);
}

/// Rows firstRow .. firstRow + count - 1 of the data set as one shard.
Result<ShardEntry> writeShard(const std::filesystem::path& file, const DatasetShape& shape,
                              std::uint64_t firstRow, std::uint64_t count, std::uint64_t flavour,
                              bool training = true)
{
    TRAINYARD_TRY(ShardWriter writer, ShardWriter::create(file, {count, shape.length, shape.predictions}));
    for (std::uint64_t done = 0; done < count;) {
        const std::uint64_t now = std::min<std::uint64_t>(count - done, ShardWriter::kRowsPerChunk);
        RowBlock rows(shape.length, shape.predictions);
        rows.resize(now);
        for (std::uint64_t i = 0; i < now; ++i)
            fillRow(rows, i, shape, Draws(flavour, firstRow + done + i));
        TRAINYARD_TRY_STATUS(writer.append(rows));
        done += now;
    }
    TRAINYARD_TRY_STATUS(writer.close());
    TRAINYARD_TRY(std::string hash, sha256OfFile(file));
    return ShardEntry{file.filename().string(), count, std::move(hash), training};
}

/// Behind the training rows, of which the test rows are no copies.
Status addTestShards(const std::filesystem::path& folder, const DatasetShape& shape, std::uint64_t flavour,
                     Manifest& manifest)
{
    const std::uint64_t larger = (shape.testRows + 1) * 2 / 3;
    std::uint64_t done = 0;
    for (const std::uint64_t rows : {larger, shape.testRows - larger}) {
        if (rows == 0)
            continue;
        const auto name = "tiny_test_" + std::to_string(done == 0 ? 0 : 1) + ".hdf5";
        TRAINYARD_TRY(ShardEntry shard,
                      writeShard(folder / name, shape, shape.rows + done, rows, flavour, false));
        manifest.shards.push_back(std::move(shard));
        done += rows;
    }
    return {};
}

} // namespace

Status writeDataset(const std::filesystem::path& folder, const DatasetShape& shape, std::uint64_t flavour)
{
    TRAINYARD_TRY_STATUS(makeFolder(folder));
    Manifest manifest;
    manifest.toolVersion = "test";
    manifest.sequenceLength = shape.length;
    manifest.maxPredictions = shape.predictions;
    manifest.vocabularySize = shape.vocabulary;
    manifest.vocabularyFile = "vocab.txt";
    manifest.vocabularySha256 = sha256Hex("");
    manifest.seed = flavour;
    manifest.settings.corpus = "tiny";
    manifest.settings.objective = shape.predictions == 0 ? "gpt" : "bert";
    const std::uint64_t larger = shape.rows * 17 / 30;
    TRAINYARD_TRY(ShardEntry first, writeShard(folder / "tiny_training_0.hdf5", shape, 0, larger, flavour));
    TRAINYARD_TRY(ShardEntry second,
                  writeShard(folder / "tiny_training_1.hdf5", shape, larger, shape.rows - larger, flavour));
    manifest.shards = {std::move(first), std::move(second)};
    if (shape.testRows > 0)
        TRAINYARD_TRY_STATUS(addTestShards(folder, shape, flavour, manifest));
    return writeFileAtomically(folder / Manifest::kFileName, manifest.toJson());
}

Status writeTinyDataset(const std::filesystem::path& folder, std::uint64_t flavour)
{
    return writeDataset(folder, DatasetShape{}, flavour);
}

RunSpec tinySpec(const std::filesystem::path& dataset, int ranks, ComputeType compute)
{
    RunSpec spec;
    spec.name = "tiny";
    spec.model.layers = 2;
    spec.model.hidden = 32;
    spec.model.heads = 2;
    spec.model.intermediate = 64;
    spec.model.vocabulary = DatasetShape{}.vocabulary;
    spec.model.maxPositions = DatasetShape{}.length;
    spec.cluster.nodes.front().slotCount = ranks;
    spec.layout.data = ranks;
    spec.layout.bucketSize = 64 * kKiB;
    spec.batch = {8, 2, 4 / ranks};
    spec.optimizer.learningRate = 2e-3;
    spec.optimizer.warmupSteps = 5;
    spec.precision.compute = compute;
    spec.dataset.path = dataset;
    spec.launch.steps = 50;
    return spec;
}

Status makeRunDirectory(const std::filesystem::path& folder, const RunSpec& spec)
{
    TRAINYARD_TRY_STATUS(makeFolder(folder / "control"));
    return writeFileAtomically(folder / "spec.json", toJson(spec));
}

namespace {

template <typename Kind>
std::vector<Kind> lastOfEachStep(const std::filesystem::path& runDirectory)
{
    std::map<std::int64_t, Kind> steps;
    const auto journal = readJournal(runDirectory / "journal" / "steps");
    if (!journal.ok())
        return {};
    for (const Record& record : journal->records) {
        if (const auto* step = std::get_if<Kind>(&record.payload))
            steps[step->step] = *step;
    }
    std::vector<Kind> ordered;
    for (auto& [number, step] : steps)
        ordered.push_back(std::move(step));
    return ordered;
}

} // namespace

std::vector<StepRecord> stepsOf(const std::filesystem::path& runDirectory)
{
    return lastOfEachStep<StepRecord>(runDirectory);
}

std::vector<EvaluationRecord> evaluationsOf(const std::filesystem::path& runDirectory)
{
    return lastOfEachStep<EvaluationRecord>(runDirectory);
}

std::int64_t firstStepOf(const std::filesystem::path& runDirectory, std::uint32_t attempt)
{
    const auto journal = readJournal(runDirectory / "journal" / "steps");
    for (const Record& record : journal.ok() ? journal->records : std::vector<Record>()) {
        const auto* step = std::get_if<StepRecord>(&record.payload);
        if (step && record.attempt == attempt)
            return step->step;
    }
    return 0;
}

std::vector<EventRecord> eventsOf(const std::filesystem::path& runDirectory)
{
    std::vector<EventRecord> events;
    const auto journal = readJournal(runDirectory / "journal" / "steps");
    if (!journal.ok())
        return events;
    for (const Record& record : journal->records) {
        if (const auto* event = std::get_if<EventRecord>(&record.payload))
            events.push_back(*event);
    }
    return events;
}

namespace {

double largestDifferenceOf(double StepRecord::*member, const std::vector<StepRecord>& a,
                           const std::vector<StepRecord>& b)
{
    if (a.size() != b.size() || a.empty())
        return std::numeric_limits<double>::infinity();
    double largest = 0;
    for (std::size_t i = 0; i < a.size(); ++i)
        largest = std::max(largest, std::abs(a[i].*member - b[i].*member) / std::abs(a[i].*member));
    return largest;
}

} // namespace

double largestDifference(const std::vector<EvaluationRecord>& a, const std::vector<EvaluationRecord>& b)
{
    constexpr double kDifferent = std::numeric_limits<double>::infinity();
    if (a.size() != b.size() || a.empty())
        return kDifferent;
    double largest = 0;
    for (std::size_t i = 0; i < a.size(); ++i) {
        if (a[i].step != b[i].step || a[i].tokens != b[i].tokens || a[i].rows != b[i].rows ||
            a[i].sequenceAccuracy != b[i].sequenceAccuracy || a[i].best != b[i].best)
            return kDifferent;
        for (double EvaluationRecord::*figure :
             {&EvaluationRecord::loss, &EvaluationRecord::tokenLoss, &EvaluationRecord::sequenceLoss,
              &EvaluationRecord::tokenAccuracy}) {
            const double difference = std::abs(a[i].*figure - b[i].*figure);
            largest = std::max(largest, difference == 0 ? 0 : difference / std::abs(a[i].*figure));
        }
    }
    return largest;
}

double largestDifference(const std::vector<StepRecord>& a, const std::vector<StepRecord>& b)
{
    return largestDifferenceOf(&StepRecord::loss, a, b);
}

double largestNormDifference(const std::vector<StepRecord>& a, const std::vector<StepRecord>& b)
{
    return largestDifferenceOf(&StepRecord::gradientNorm, a, b);
}

} // namespace trainyard
