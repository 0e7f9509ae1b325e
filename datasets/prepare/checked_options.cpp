#include "datasets/prepare/checked_options.h"

#include <algorithm>
#include <array>
#include <initializer_list>
#include <thread>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "datasets/corpus/punkt_parameters.h"
#include "datasets/prepare/output_place.h"
#include "datasets/shards/columns.h"
#include "datasets/tokenizer/unicode_tables.h"

namespace trainyard {

namespace fs = std::filesystem;

namespace {

static_assert(PrepareOptions::kMaxSequenceLength == kWidestColumn);

/// Memory of the work in progress of one thread, including the blocks that it decompresses.
constexpr std::uint64_t kMemoryPerThread = std::uint64_t{16} << 20;

Status require(bool fine, const std::string& message, const std::string& hint)
{
    if (fine)
        return {};
    return badInput(message, hint);
}

/// Clears or refuses settings without a meaning for the objective: rows without pairs have no next sentence,
/// and running text has no predictions.
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

/// Those about running text have no meaning for labelled examples.
Status checkNoCorpusOptions(const PrepareOptions& o)
{
    const PrepareOptions usual;
    const InstanceSettings& rows = o.instances;
    const std::initializer_list<std::pair<const char*, bool>> options{
        {"--objective", rows.objective != usual.instances.objective},
        {"--nsp", rows.nextSentence != usual.instances.nextSentence},
        {"--whole-word", rows.wholeWords},
        {"--dupe", o.dupeFactor != usual.dupeFactor},
        {"--weights", !o.weights.empty()},
        {"--format", o.format != usual.format},
        {"--headings", o.keepHeadings},
        {"--lists", o.keepLists},
        {"--punkt", !o.punkt.empty()}};
    for (const auto& [name, isGiven] : options) {
        if (isGiven)
            return badInput(fmt::format("{} cannot be combined with --task {}", name, nameOf(o.task.kind)),
                            "leave it out: it is about running text, not about labelled examples");
    }
    return {};
}

Status checkTask(const PrepareOptions& o)
{
    const std::vector<std::string> unused = o.task.meaningless();
    if (!o.task.isOn())
        return unused.empty()
                   ? Status()
                   : badInput(
                         unused.front() + " needs --task",
                         "say with --task what the files hold: classify, regress, tag, answer or complete");
    if (!unused.empty())
        return badInput(fmt::format("{} has no meaning with --task {}", unused.front(), nameOf(o.task.kind)),
                        "leave it out");
    TRAINYARD_TRY_STATUS(checkNoCorpusOptions(o));
    const bool splitsTheExamples = o.testFraction != 0 && o.testFraction != PrepareOptions().testFraction;
    TRAINYARD_TRY_STATUS(require(o.task.heldOut.empty() || !splitsTheExamples,
                                 "--test-fraction cannot be combined with --held-out",
                                 "leave one of them out: the files of --held-out are all test rows"));
    TRAINYARD_TRY_STATUS(require(o.parts.empty(), "--documents cannot be combined with --task",
                                 "pass the files with the examples"));
    for (const auto& [name, isGiven] : {std::pair{"--train-vocab", o.trainVocabulary > 0},
                                        std::pair{"--train-tokenizer", o.trainTokenizer > 0}})
        TRAINYARD_TRY_STATUS(require(!isGiven, fmt::format("{} cannot be combined with --task", name),
                                     "pass that of the model that is fine-tuned: its vocab.txt with --vocab, "
                                     "or its tokenizer.json with --tokenizer"));
    TRAINYARD_TRY_STATUS(require(
        o.shapes.size() == 1, "--task creates one data set, and --seq-len has more values", "use one value"));
    return require(o.extra == ExtraOutputs(), "--provenance and --also cannot be combined with --task",
                   "omit them: they are about text without labels");
}

Status checkInputs(const PrepareOptions& o)
{
    TRAINYARD_TRY_STATUS(require(!o.dumps.empty() || !o.parts.empty(), "no corpus was given",
                                 "pass one or more files, or - for standard input"));
    TRAINYARD_TRY_STATUS(require(o.dumps.empty() || o.parts.empty(),
                                 "--documents cannot be combined with files",
                                 "convert the files to documents too, or pass only files"));
    TRAINYARD_TRY_STATUS(require(o.parts.empty() || o.trainVocabulary == 0,
                                 "--train-vocab needs text, but --documents contains tokens",
                                 "pass the vocabulary of the documents with --vocab"));
    return require(o.parts.empty() || o.trainTokenizer == 0,
                   "--train-tokenizer needs text, but --documents contains tokens",
                   "pass the tokenizer of the documents with --tokenizer");
}

/// The settings of WordPiece are in a tokenizer.json.
Status checkTokenizer(const PrepareOptions& o)
{
    const std::array<std::pair<const char*, bool>, 4> options{{{"--vocab", !o.vocabulary.empty()},
                                                               {"--train-vocab", o.trainVocabulary > 0},
                                                               {"--tokenizer", !o.tokenizer.empty()},
                                                               {"--train-tokenizer", o.trainTokenizer > 0}}};
    std::vector<std::string> given;
    for (const auto& [name, isGiven] : options) {
        if (isGiven)
            given.emplace_back(name);
    }
    TRAINYARD_TRY_STATUS(require(
        !given.empty(), "one of --vocab, --train-vocab, --tokenizer and --train-tokenizer is required",
        "use --vocab vocab.txt or --tokenizer tokenizer.json, or train one on the "
        "corpus: --train-vocab 30522, --train-tokenizer 32000"));
    TRAINYARD_TRY_STATUS(require(given.size() == 1,
                                 fmt::format("{} cannot be combined", fmt::join(given, " and ")),
                                 "give one of them: rows have one tokenizer"));
    if (given.front() != "--tokenizer" && given.front() != "--train-tokenizer")
        return {};
    const PrepareOptions usual;
    return require(
        !o.cased && o.profile == usual.profile,
        fmt::format("{} cannot be combined with {}", o.cased ? "--cased" : "--profile", given.front()),
        "leave it out: a tokenizer.json says itself what it does to text");
}

/// Returns the hash of the Punkt parameters in the folder; empty without a folder. Loads them, so that damage
/// is found before hours of work.
Result<std::string> sha256OfPunkt(const fs::path& folder)
{
    if (folder.empty())
        return std::string();
    const auto parameters = PunktParameters::load(folder);
    if (!parameters.ok())
        return parameters.error().in("--punkt");
    return parameters->sha256();
}

} // namespace

Result<PrepareOptions> checkedOptions(const PrepareOptions& options)
{
    PrepareOptions o = options;
    TRAINYARD_TRY(o.out, realPlace(options.out));
    if (o.shapes.empty())
        o.shapes = {{o.instances.sequenceLength, o.instances.maxPredictions}};
    TRAINYARD_TRY_STATUS(checkTask(o));
    TRAINYARD_TRY_STATUS(settleObjective(o));
    o.instances.sequenceLength = o.shapes.front().sequenceLength;
    o.instances.maxPredictions = o.shapes.front().maxPredictions;
    if (o.threads == 0)
        o.threads = static_cast<int>(std::max(1u, std::thread::hardware_concurrency()));
    if (o.task.isOn() && o.corpus == PrepareOptions().corpus)
        o.corpus = nameOf(o.task.kind);
    TRAINYARD_TRY_STATUS(checkInputs(o));
    if (const Diagnostics problems = problemsOf(o); !problems.empty())
        return badInput(problems.front().path + " " + problems.front().message, problems.front().hint);
    o.threads = std::min(o.threads, static_cast<int>(o.memoryBytes / kMemoryPerThread));
    TRAINYARD_TRY_STATUS(require(unicodeTables(o.profile) != nullptr,
                                 fmt::format("unknown --profile {}", o.profile), "use hf or google-py"));
    TRAINYARD_TRY(o.punktSha256, sha256OfPunkt(o.punkt));
    TRAINYARD_TRY_STATUS(checkTokenizer(o));
    return o;
}

} // namespace trainyard
