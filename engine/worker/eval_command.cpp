#include "engine/worker/eval_command.h"

#include <algorithm>
#include <chrono>

#include <fmt/format.h>

#include "datasets/shards/manifest.h"
#include "datasets/tokenizer/vocabulary.h"
#include "engine/evaluation/data_set_evaluation.h"
#include "engine/evaluation/evaluation.h"
#include "engine/spec/names.h"
#include "engine/spec/phases/phases.h"
#include "engine/spec/spec_json.h"
#include "engine/worker/answer_output.h"
#include "engine/worker/missing_shards.h"
#include "engine/worker/text_codec.h"

namespace trainyard {

namespace fs = std::filesystem;

namespace {

// A job's specification is on the client's machine, which sends its text.
Result<RunSpec> layoutSpec(const std::string& fileOrText)
{
    if (!fileOrText.starts_with('{'))
        return readSpec(fileOrText);
    ParsedSpec parsed = parseSpec(fileOrText);
    if (!parsed.diagnostics.empty())
        return toError(parsed.diagnostics).in("--layout");
    return std::move(parsed.spec);
}

Result<std::optional<RunSpec>> layoutOf(const EvalCommandLine& options)
{
    if (options.layout.empty())
        return std::optional<RunSpec>();
    TRAINYARD_TRY(const RunSpec spec, layoutSpec(options.layout));
    return std::optional(specOfPhase(spec, 0)); // phases have one layout
}

/// Vocabularies that are not there are no reason to refuse: tokens are numbers.
Status checkVocabulary(const StoredModel& model, const fs::path& dataSet)
{
    const auto trained = tokenizerOf(model);
    const auto manifest = Manifest::load(dataSet);
    if (!trained.ok() || !manifest.ok())
        return {};
    const fs::path file = dataSet / manifest->vocabularyFile;
    const auto there = trained->load();
    const auto here = TokenizerFiles{file, {}, {}}.load();
    if (!there.ok() || !here.ok())
        return {};
    const auto& hereTokens = here->vocabulary.pieces();
    const std::size_t common = std::min(hereTokens.size(), there->vocabulary.size());
    const auto [a, b] =
        std::mismatch(hereTokens.begin(), hereTokens.begin() + static_cast<std::ptrdiff_t>(common),
                      there->vocabulary.pieces().begin());
    const auto entry = a - hereTokens.begin();
    if (static_cast<std::size_t>(entry) == common)
        return {};
    return badInput(fmt::format("{} is not the vocabulary that the model was trained with, {}: they differ "
                                "from {} {} on",
                                file.string(), trained->vocabulary.string(),
                                here->isTokenizerJson() ? "token" : "line",
                                here->isTokenizerJson() ? entry : entry + 1),
                    "prepare the data set with the vocabulary of the model (--vocab)");
}

/// How far an evaluation is, for whoever waits for it.
class EvaluationProgress {
public:
    explicit EvaluationProgress(AnswerOutput& output) : m_output(output) {}

    void show(std::uint64_t rows, std::uint64_t allRows)
    {
        const auto now = Clock::now();
        if (now < m_next)
            return;
        m_next = now + kInterval;
        ProgressRecord progress{.stage = "evaluation", .done = rows, .total = allRows, .unit = "rows"};
        progress.rate = static_cast<double>(rows) / std::chrono::duration<double>(now - m_begin).count();
        progress.secondsLeft = static_cast<double>(allRows - rows) / progress.rate;
        m_output.report(progress);
    }

private:
    using Clock = std::chrono::steady_clock;
    static constexpr std::chrono::seconds kInterval{1};

    AnswerOutput& m_output;
    const Clock::time_point m_begin = Clock::now();
    Clock::time_point m_next = m_begin + kInterval; ///< a short evaluation shows nothing
};

Status evaluateDataSet(const EvalCommandLine& options, const fs::path& path, AnswerOutput& output)
{
    TRAINYARD_TRY(const StoredModel model, StoredModel::open(path, CheckpointWish::of(options.step, options.best)));
    if (!model.remark().empty())
        output.remark("using " + model.remark());
    TRAINYARD_TRY_STATUS(checkVocabulary(model, options.dataSet));
    DataSetEvaluationOptions evaluation{options.dataSet, options.batches,
                                        *enumFromName<ComputeType>(options.precision)};
    TRAINYARD_TRY(evaluation.layout, layoutOf(options));
    EvaluationProgress progress(output);
    evaluation.onProgress = [&progress](auto rows, auto allRows) { progress.show(rows, allRows); };
    TRAINYARD_TRY(const EvaluationRecord record, evaluateOnDataSet(model, evaluation));
    const ModelFamily family = model.spec().family;
    output.print(options.json ? evaluationJson(record, family) : evaluationTable(record, family));
    return {};
}

Status evaluateInputs(const EvalCommandLine& options, const fs::path& path, AnswerOutput& output)
{
    EvalOptions evaluation{.model = path, .checkpoint = CheckpointWish::of(options.step, options.best), .inputs = options.inputs};
    if (!options.out.empty())
        evaluation.out = options.out;
    evaluation.precision = *enumFromName<ComputeType>(options.precision);
    if (!options.optimizer.empty()) {
        evaluation.training = EvalTraining{options.training, options.steps};
        evaluation.training->optimizer.kind = *enumFromName<OptimizerKind>(options.optimizer);
    }
    TRAINYARD_TRY(evaluation.layout, layoutOf(options));
    TRAINYARD_TRY(const TrainingSeries series, runEval(evaluation));
    if (evaluation.training)
        output.print((options.json ? series.toJson() : series.toTable()) + '\n');
    return {};
}

Status evaluate(const EvalCommandLine& options, const fs::path& path, AnswerOutput& output)
{
    TRAINYARD_TRY_STATUS(checkEvalOptions(options));
    const bool onDataSet = !options.dataSet.empty();
    TRAINYARD_TRY_STATUS(
        bringMissingShards(path, CheckpointWish::of(options.step, options.best), output));
    return onDataSet ? evaluateDataSet(options, path, output) : evaluateInputs(options, path, output);
}

} // namespace

Status runEvalCommand(const EvalCommandLine& options, const fs::path& runDirectory)
{
    return answer(runDirectory, [&](AnswerOutput& output) {
        return evaluate(options, modelOfJob(options.model, runDirectory), output);
    });
}

} // namespace trainyard
