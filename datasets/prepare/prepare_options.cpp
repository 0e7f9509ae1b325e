#include "datasets/prepare/prepare_options.h"

#include <algorithm>
#include <set>
#include <thread>

#include <fmt/format.h>

#include "datasets/corpus/punkt_parameters.h"
#include "datasets/prepare/output_place.h"
#include "datasets/shards/columns.h"
#include "datasets/tokenizer/unicode_tables.h"
#include "engine/base/file.h"
#include "engine/base/units.h"

namespace trainyard {

namespace fs = std::filesystem;

namespace {

Status require(bool fine, const std::string& message, const std::string& hint)
{
    if (fine)
        return {};
    return badInput(message, hint);
}

Status checkShape(const RowShape& rows, bool runningText)
{
    TRAINYARD_TRY_STATUS(require(rows.sequenceLength >= 8 && rows.sequenceLength <= kWidestColumn,
                                 fmt::format("--seq-len {} is out of range", rows.sequenceLength),
                                 fmt::format("use 8 to {}, usually 128 or 512", kWidestColumn)));
    return require(
        runningText || (rows.maxPredictions >= 1 && rows.maxPredictions <= rows.sequenceLength - 3),
        fmt::format("--max-pred {} does not fit --seq-len {}", rows.maxPredictions, rows.sequenceLength),
        "use about 0.16 of the sequence length: 20 for 128, 80 for 512");
}

/// What a thread has under way, with the blocks that it decompresses.
constexpr std::uint64_t kMemoryPerThread = std::uint64_t{16} << 20;

Status checkNumbers(const PrepareOptions& o)
{
    std::set<int> lengths;
    for (const RowShape& shape : o.shapes) {
        TRAINYARD_TRY_STATUS(checkShape(shape, o.instances.objective == Objective::Tokens));
        TRAINYARD_TRY_STATUS(require(lengths.insert(shape.sequenceLength).second,
                                     fmt::format("--seq-len {} is given twice", shape.sequenceLength),
                                     "use every length once"));
    }
    TRAINYARD_TRY_STATUS(require(o.dupeFactor >= 1 && o.dupeFactor <= 1000,
                                 fmt::format("--dupe {} is out of range", o.dupeFactor),
                                 "use 1 to 1000, usually 5"));
    TRAINYARD_TRY_STATUS(require(
        o.trainingShards >= PrepareOptions::kMinTrainingShards && o.trainingShards <= 65536,
        fmt::format("--shards {} is out of range", o.trainingShards),
        fmt::format("use at least {}, ideally a multiple of the number of ranks: the usual training scripts "
                    "skip a lone shard",
                    PrepareOptions::kMinTrainingShards)));
    TRAINYARD_TRY_STATUS(require(o.testShards >= 1 && o.testShards <= 65536,
                                 fmt::format("--test-shards {} is out of range", o.testShards),
                                 "use 1 or more"));
    TRAINYARD_TRY_STATUS(require(o.testFraction >= 0 && o.testFraction < 1,
                                 fmt::format("--test-fraction {} is out of range", o.testFraction),
                                 "use 0 (no test shards) to 0.9"));
    constexpr std::uint64_t kMinMemory = std::uint64_t{128} << 20;
    TRAINYARD_TRY_STATUS(require(o.memoryBytes >= kMinMemory,
                                 fmt::format("--memory {} is too small", formatBytes(o.memoryBytes)),
                                 fmt::format("use at least {}", formatBytes(kMinMemory))));
    return require(o.threads >= 0 && o.threads <= 1024,
                   fmt::format("--threads {} is out of range", o.threads),
                   "use 1 to 1024, or 0 for one per core");
}

/// What rows of masks alone and running text do without. Their pairs are of no kind, and running text has no
/// predictions.
Status settleObjective(PrepareOptions& o)
{
    if (o.instances.objective == Objective::Bert)
        return {};
    TRAINYARD_TRY_STATUS(require(o.instances.nextSentence != NextSentence::Swap,
                                 "--nsp swap needs --objective bert",
                                 "omit it: the rows have no second sentence"));
    o.instances.nextSentence = NextSentence::Follow;
    if (o.instances.objective == Objective::Masked)
        return {};
    TRAINYARD_TRY_STATUS(require(!o.instances.wholeWords,
                                 "--whole-word cannot be combined with --objective gpt",
                                 "omit it: running text has no masks"));
    TRAINYARD_TRY_STATUS(require(!o.extra.provenance, "--provenance cannot be combined with --objective gpt",
                                 "omit it: a row of running text spans documents"));
    for (RowShape& shape : o.shapes)
        shape.maxPredictions = 0;
    return {};
}

/// Of the Punkt parameters in the folder; empty without one. Loads them, so that damage shows before hours of
/// work.
Result<std::string> sha256OfPunkt(const fs::path& folder)
{
    if (folder.empty())
        return std::string();
    const auto parameters = PunktParameters::load(folder);
    if (!parameters.ok())
        return parameters.error().in("--punkt");
    return parameters->sha256();
}

Status checkVocabularyChoice(const PrepareOptions& o)
{
    return require(o.vocabulary.empty() != (o.trainVocabulary == 0),
                   "exactly one of --vocab and --train-vocab is required",
                   "use --vocab vocab.txt, or --train-vocab 30522 to train one on the corpus");
}

} // namespace

Result<PrepareOptions> PrepareOptions::checked() const
{
    PrepareOptions o = *this;
    TRAINYARD_TRY(o.out, realPlace(out));
    if (o.shapes.empty())
        o.shapes = {{o.instances.sequenceLength, o.instances.maxPredictions}};
    TRAINYARD_TRY_STATUS(settleObjective(o));
    o.instances.sequenceLength = o.shapes.front().sequenceLength;
    o.instances.maxPredictions = o.shapes.front().maxPredictions;
    if (o.threads == 0)
        o.threads = static_cast<int>(std::max(1u, std::thread::hardware_concurrency()));
    TRAINYARD_TRY_STATUS(require(!o.dumps.empty() || !o.parts.empty(), "no corpus was given",
                                 "pass one or more files, or - for standard input"));
    TRAINYARD_TRY_STATUS(require(o.dumps.empty() || o.parts.empty(),
                                 "--documents cannot be combined with files",
                                 "convert the files to documents too, or pass only files"));
    TRAINYARD_TRY_STATUS(require(o.parts.empty() || o.trainVocabulary == 0,
                                 "--train-vocab needs text, but --documents contains tokens",
                                 "pass the vocabulary of the documents with --vocab"));
    TRAINYARD_TRY_STATUS(require(
        isPlainName(o.corpus) && o.corpus.find("training") == std::string::npos &&
            o.corpus.find("test") == std::string::npos,
        fmt::format("--name \"{}\" cannot be used in shard names", o.corpus),
        "use a plain word without \"training\" and \"test\", which distinguish the two kinds of shards"));
    TRAINYARD_TRY_STATUS(checkNumbers(o));
    o.threads = std::min(o.threads, static_cast<int>(o.memoryBytes / kMemoryPerThread));
    TRAINYARD_TRY_STATUS(require(unicodeTables(o.profile) != nullptr,
                                 fmt::format("unknown --profile {}", o.profile), "use hf or google-py"));
    TRAINYARD_TRY(o.punktSha256, sha256OfPunkt(o.punkt));
    TRAINYARD_TRY_STATUS(checkVocabularyChoice(o));
    return o;
}

} // namespace trainyard
