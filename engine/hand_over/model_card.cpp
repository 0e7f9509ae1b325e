#include "engine/hand_over/model_card.h"

#include <algorithm>
#include <array>
#include <filesystem>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "engine/base/counted.h"
#include "engine/base/units.h"
#include "engine/base/untrusted_text.h"
#include "engine/hand_over/corpus_language.h"
#include "engine/planner/layout/parameter_parts.h"
#include "engine/records/evaluation_metrics.h"
#include "engine/spec/lora_targets.h"
#include "engine/spec/names.h"

namespace trainyard {

namespace {

using Rows = std::vector<std::vector<std::string>>;

constexpr std::string_view kGooglePython = "google-py";
constexpr std::size_t kMaxNamedFiles = 8;
constexpr std::size_t kMaxEvaluations = 11;
constexpr std::size_t kMaxLabelRows = 100;

/// "10,456".
std::string grouped(std::uint64_t value)
{
    std::string text = std::to_string(value);
    for (auto at = static_cast<std::ptrdiff_t>(text.size()) - 3; at > 0; at -= 3)
        text.insert(static_cast<std::size_t>(at), 1, ',');
    return text;
}

std::string grouped(std::int64_t value)
{
    return grouped(static_cast<std::uint64_t>(std::max<std::int64_t>(value, 0)));
}

/// "1 row", "10,456 rows".
std::string groupedCount(std::int64_t count, std::string_view noun)
{
    return grouped(count) + ' ' + nounFor(static_cast<std::uint64_t>(count), noun);
}

/// Names come from other people's files: nothing in them may become markup.
std::string plain(std::string_view text)
{
    std::string out;
    for (const char c : sanitizeText(text)) {
        if (std::string_view("\\`*_{}[]<>#|!~").find(c) != std::string_view::npos)
            out += '\\';
        out += c;
    }
    return out;
}

std::string table(const std::vector<std::string>& head, const Rows& rows)
{
    const auto line = [](const std::vector<std::string>& cells) {
        return fmt::format("| {} |\n", fmt::join(cells, " | "));
    };
    std::string text = line(head) + line(std::vector<std::string>(head.size(), "---"));
    for (const auto& row : rows)
        text += line(row);
    return text;
}

std::string sizeOfRows(std::uint64_t training, std::uint64_t test)
{
    return test == 0 ? fmt::format("{}, none held out", grouped(training))
                     : fmt::format("{}, and {} held out", grouped(training), grouped(test));
}

bool isDecoder(const CardFacts& facts)
{
    return facts.spec.model.family == ModelFamily::Gpt;
}

std::optional<std::string> languageOf(const CardFacts& facts)
{
    if (!facts.dataSet || facts.dataSet->settings.format != "mediawiki")
        return std::nullopt;
    return languageOfDumps(facts.dataSet->settings.dumps);
}

/// As the Hub and pipeline() call it.
std::string_view pipelineTask(const CardFacts& facts)
{
    switch (facts.spec.model.task.kind) {
    case TaskKind::Classify:
    case TaskKind::Regress:
        return "text-classification";
    case TaskKind::Tag:
        return "token-classification";
    case TaskKind::Answer:
        return "question-answering";
    case TaskKind::None:
    case TaskKind::Complete:
        break;
    }
    return isDecoder(facts) ? "text-generation" : "fill-mask";
}

/// The library "evaluate" has them under these names.
std::string_view hubMetric(std::string_view metric)
{
    constexpr std::array<std::pair<std::string_view, std::string_view>, 3> kNames{
        {{"matthews", "matthews_correlation"}, {"pearson", "pearsonr"}, {"spearman", "spearmanr"}}};
    for (const auto& [own, theirs] : kNames) {
        if (own == metric)
            return theirs;
    }
    return metric;
}

/// Those of the task that were computed.
std::string metricTags(const CardFacts& facts)
{
    if (!facts.spec.model.task.hasHead() || !facts.history || facts.history->evaluations.empty())
        return {};
    std::string text;
    for (const auto& [name, value] : metricsOf(facts.history->evaluations.back(), facts.spec.model.family))
        text += fmt::format("- {}\n", hubMetric(name));
    return text.empty() ? text : "metrics:\n" + text;
}

std::string metadata(const CardFacts& facts)
{
    std::string text = "---\n";
    const auto language = languageOf(facts);
    if (language)
        text += "language:\n- " + *language + "\n";
    text += "# license: choose one and remove the #, e.g. apache-2.0\n"
            "library_name: ";
    text += facts.adaptersAlone ? "peft\n" : "transformers\n";
    text += fmt::format("pipeline_tag: {}\n", pipelineTask(facts));
    text += metricTags(facts);
    if (language)
        text += "datasets:\n- wikipedia\n";
    text += fmt::format("tags:\n- {}\n- trainyard\n---\n", isDecoder(facts) ? "gpt2" : "bert");
    return text;
}

std::string origin(const CardFacts& facts)
{
    if (!facts.hasRun())
        return "Its weights were imported into Trainyard; how they were trained is not recorded.";
    std::string text =
        facts.spec.init.isOn()
            ? "It was trained with Trainyard, and began with the weights of another model or run"
            : fmt::format("It was {} from scratch with Trainyard",
                          facts.spec.model.task.isOn() ? "trained" : "pre-trained");
    if (const auto language = languageOf(facts))
        text += fmt::format("{} text of Wikipedia, language \"{}\"", facts.spec.init.isOn() ? ", on" : " on",
                            *language);
    text += ".\n";
    text += facts.step.value >= facts.spec.launch.steps
                ? fmt::format("This is the end of its training, step {}.", grouped(facts.step.value))
                : fmt::format("This is step {} of the {} planned.", grouped(facts.step.value),
                              grouped(std::int64_t{facts.spec.launch.steps}));
    return text;
}

ModelSpec withoutAdapters(ModelSpec model)
{
    model.lora = {};
    return model;
}

std::string introduction(const CardFacts& facts)
{
    const ModelSpec& model = facts.spec.model;
    return fmt::format("# {}\n\n{} of {} parameters: {} of width {} with {}, feed-forward width {}, "
                       "{} positions, a vocabulary of {}.\n{}\n",
                       plain(facts.hasRun() ? facts.spec.name : facts.name), facts.family,
                       grouped(parameterCount(withoutAdapters(model))), groupedCount(model.layers, "layer"),
                       model.hidden, groupedCount(model.heads, "head"), model.intermediate,
                       model.maxPositions, grouped(std::int64_t{model.vocabulary}), origin(facts));
}

std::string_view outputText(TaskKind kind)
{
    switch (kind) {
    case TaskKind::Classify:
        return "It finds the class of a text, or of a pair of texts.";
    case TaskKind::Regress:
        return "It gives a text, or a pair of texts, one number.";
    case TaskKind::Tag:
        return "It gives each word of a text a label, at the word's first token.";
    case TaskKind::Answer:
        return "It finds the answer to a question in a text: its first and its last token.";
    case TaskKind::Complete:
        return "It completes a prompt, and ends with [SEP].";
    case TaskKind::None:
        break;
    }
    return {};
}

std::string labelTable(const std::vector<std::string>& labels)
{
    Rows rows;
    for (std::size_t i = 0; i < labels.size() && i < kMaxLabelRows; ++i)
        rows.push_back({std::to_string(i), plain(labels[i])});
    std::string text = "\n" + table({"Output", "Label"}, rows);
    if (labels.size() > rows.size())
        text += fmt::format("\n{} more {} in config.json, id2label.\n", labels.size() - rows.size(),
                            labels.size() - rows.size() == 1 ? "is" : "are");
    return text;
}

std::string labelText(const CardFacts& facts)
{
    const TaskSpec& task = facts.spec.model.task;
    if (!task.hasLabels())
        return {};
    if (!facts.labels.empty())
        return labelTable(facts.labels);
    return fmt::format("Its {} labels have no names here; they were numbered by the data set that it was "
                       "trained on.\n",
                       grouped(std::int64_t{task.labels}));
}

std::string taskText(const CardFacts& facts)
{
    const TaskKind kind = facts.spec.model.task.kind;
    if (kind == TaskKind::None)
        return {};
    return fmt::format("\n## Task\n\n{}\n{}", outputText(kind), labelText(facts));
}

std::string autoClass(const CardFacts& facts)
{
    constexpr std::string_view kBert = "Bert";
    return isDecoder(facts) ? "AutoModelForCausalLM" : "AutoModel" + facts.family.substr(kBert.size());
}

/// The lines of pipeline() have a text that the model continues, fills in or labels.
bool hasPipeline(const CardFacts& facts)
{
    return facts.tokenizer.has_value() && facts.spec.model.task.kind != TaskKind::Answer;
}

std::string_view pipelineText(const CardFacts& facts)
{
    if (facts.spec.model.task.hasHead())
        return "A train leaves the yard.";
    return isDecoder(facts) ? "The first" : "It is the [MASK] of the country.";
}

/// A Python string with the folder's name.
std::string quotedFolder(const CardFacts& facts)
{
    std::string text = "\"";
    for (const char c : sanitizeText(facts.name)) {
        if (c == '"' || c == '\\')
            text += '\\';
        text += c;
    }
    return text + '"';
}

std::string pipelineLines(const CardFacts& facts)
{
    if (!hasPipeline(facts))
        return {};
    return fmt::format("\nrun = pipeline(\"{}\", model=folder, tokenizer=folder)\nprint(run(\"{}\"))\n",
                       pipelineTask(facts), pipelineText(facts));
}

/// PEFT's files do not tell the shape of the head.
std::string labelArgument(const TaskSpec& task)
{
    return task.hasHead() && task.kind != TaskKind::Answer ? fmt::format(", num_labels={}", task.outputs())
                                                           : std::string();
}

std::string adapterLines(const CardFacts& facts)
{
    return fmt::format(
        "base = {}.from_pretrained(\"...\"{})  # the model that the adapters were trained for\n"
        "model = PeftModel.from_pretrained(base, folder)\n```\n",
        autoClass(facts), labelArgument(facts.spec.model.task));
}

/// AutoModel of a BERT has a pooler; the folder has its weights only for a head that reads them.
bool hasPooler(const ModelSpec& model)
{
    return model.predictsNextSentence() || model.task.kind == TaskKind::Classify ||
           model.task.kind == TaskKind::Regress;
}

/// What transformers says about tensors that a class leaves out or adds.
std::string classesText(const CardFacts& facts)
{
    const ModelSpec& model = facts.spec.model;
    std::string text = fmt::format("\n{} loads every tensor of the folder and adds none.", autoClass(facts));
    if (isDecoder(facts) && model.tiedHead)
        return text + " AutoModel loads the decoder without its head.\n";
    text += fmt::format(" AutoModel loads the {} alone: it names the tensors of the {} as unexpected, as it "
                        "does for checkpoints of Hugging Face",
                        isDecoder(facts) ? "decoder" : "encoder",
                        model.predictsNextSentence() ? "heads" : "head");
    text += isDecoder(facts) || hasPooler(model) ? ".\n" : ", and adds a pooler with random weights.\n";
    if (!isDecoder(facts) && model.predictsNextSentence())
        text += "AutoModelForMaskedLM leaves the pooler and the next-sentence head out.\n";
    return text;
}

std::string use(const CardFacts& facts)
{
    const bool hasTokenizer = facts.tokenizer.has_value();
    std::string text =
        fmt::format("\n## Use\n\n```python\n{}from transformers import {}{}{}\n\nfolder = {}\n",
                    facts.adaptersAlone ? "from peft import PeftModel\n" : "", autoClass(facts),
                    hasTokenizer ? ", AutoTokenizer" : "",
                    hasPipeline(facts) && !facts.adaptersAlone ? ", pipeline" : "", quotedFolder(facts));
    if (hasTokenizer)
        text += "tokenizer = AutoTokenizer.from_pretrained(folder)\n";
    if (facts.adaptersAlone)
        return text + adapterLines(facts);
    text +=
        fmt::format("model = {}.from_pretrained(folder)\n{}```\n", autoClass(facts), pipelineLines(facts));
    if (!hasTokenizer)
        text += "\nThe folder has no tokenizer.\n";
    return text + classesText(facts);
}

std::string files(const std::vector<std::string>& dumps)
{
    std::vector<std::string> names;
    for (const std::string& dump : dumps) {
        if (names.size() < kMaxNamedFiles)
            names.push_back(plain(dump));
    }
    std::string text = fmt::format("{}", fmt::join(names, ", "));
    if (dumps.size() > names.size())
        text += fmt::format(" and {} more", dumps.size() - names.size());
    return text;
}

std::string taskObjective(const Manifest& data)
{
    switch (data.taskKind()) {
    case TaskKind::Classify:
        return fmt::format("the class of each row, one of {}", data.task.labels.size());
    case TaskKind::Regress:
        return "the number of each row";
    case TaskKind::Tag:
        return fmt::format("the label of each word, one of {}", data.task.labels.size());
    case TaskKind::Answer:
        return fmt::format("the answer in a text; rows of one text share {}",
                           groupedCount(data.task.docStride, "token"));
    default:
        return "the completion of a prompt";
    }
}

std::string objectiveText(const Manifest& data)
{
    const PreparationSettings& settings = data.settings;
    if (data.taskKind() != TaskKind::None)
        return taskObjective(data);
    if (settings.objective == "gpt")
        return "the next token of running text; [SEP] ends a document";
    std::string text =
        fmt::format("masked {}, {:.3g} % of all", settings.wholeWords ? "words as a whole" : "tokens",
                    100 * settings.maskedShare);
    if (settings.objective == "mlm" || settings.nextSentence == "none")
        return text;
    return text + (settings.nextSentence == "swap" ? ", and whether two sentences were swapped"
                                                   : ", and whether the second part follows the first");
}

std::string vocabularyText(const Manifest& data)
{
    return fmt::format("{} WordPieces, {}, SHA-256 {}", grouped(std::int64_t{data.vocabularySize}),
                       data.settings.cased ? "cased" : "uncased", plain(data.vocabularySha256));
}

Rows dataRows(const Manifest& data)
{
    const PreparationSettings& settings = data.settings;
    const DatasetStatistics& counts = data.statistics;
    const std::string documents = sizeOfRows(counts.documents - counts.testDocuments, counts.testDocuments);
    Rows rows{{"Files", files(settings.dumps)}};
    if (data.taskKind() != TaskKind::None) {
        if (!data.task.heldOut.empty())
            rows.push_back({"Files of the held-out examples", files(data.task.heldOut)});
        rows.push_back({"Labelled examples", documents});
    } else {
        rows.push_back({"Documents", documents});
        rows.push_back({"Sentences", grouped(counts.sentences)});
        rows.push_back({"Tokens of all documents", grouped(counts.tokens)});
    }
    rows.push_back({"Rows", sizeOfRows(data.trainingRows(), data.testRows())});
    rows.push_back({"Tokens in a row", fmt::format("at most {}", data.sequenceLength)});
    rows.push_back({"Task", objectiveText(data)});
    if (settings.dupeFactor > 1)
        rows.push_back(
            {"Rows made of each document", fmt::format("{} times, masked differently", settings.dupeFactor)});
    rows.push_back({"Vocabulary", vocabularyText(data)});
    return rows;
}

std::string dataSetName(const RunSpec& spec)
{
    DatasetSpec named = spec.dataset; // paths of machines stay there
    named.path = std::filesystem::path(named.path).filename().string();
    for (MixedDataSet& set : named.mix)
        set.path = std::filesystem::path(set.path).filename().string();
    return plain(named.text());
}

/// What the table below it is of.
std::string mixText(const RunSpec& spec)
{
    if (!spec.dataset.isMix())
        return {};
    const std::string first = std::filesystem::path(spec.dataset.first()).filename().string();
    return fmt::format("Rows of several data sets were mixed: {}. This is the first one, {}.\n\n",
                       dataSetName(spec), plain(first));
}

std::string data(const CardFacts& facts)
{
    std::string text = "\n## Training data\n\n";
    if (facts.dataSet)
        return text + mixText(facts.phase()) + table({"", ""}, dataRows(*facts.dataSet));
    return text + fmt::format("The data set \"{}\" was not available when this card was written.\n",
                              dataSetName(facts.phase()));
}

std::string optimizerText(const OptimizerSpec& optimizer)
{
    std::string text = std::string(nameOf(optimizer.kind));
    text += optimizer.kind == OptimizerKind::Sgd
                ? fmt::format(", momentum {}", optimizer.momentum)
                : fmt::format(", beta {} and {}, epsilon {}", optimizer.beta1, optimizer.beta2,
                              optimizer.epsilon);
    return text + fmt::format(", weight decay {}", optimizer.weightDecay);
}

std::string learningRateText(const OptimizerSpec& optimizer)
{
    std::string schedule = fmt::format("{} schedule", nameOf(optimizer.schedule));
    if (optimizer.schedule == ScheduleKind::Polynomial)
        schedule += fmt::format(" of power {}", optimizer.decayPower);
    if (optimizer.schedule == ScheduleKind::WarmupStableDecay)
        schedule += fmt::format(" (stable, then {} decay over {})", nameOf(optimizer.decayShape),
                                optimizer.decaySteps > 0 ? groupedCount(optimizer.decaySteps, "step")
                                                         : std::string("a tenth of the steps"));
    return fmt::format("peak {}, {}, {}", optimizer.learningRate,
                       groupedCount(optimizer.warmupSteps, "warm-up step"), schedule);
}

std::string precisionText(const RunSpec& spec)
{
    const bool isFull =
        spec.precision.compute == ComputeType::Float64 || spec.precision.compute == ComputeType::Float32;
    return fmt::format("{}{}", nameOf(spec.precision.compute),
                       isFull ? "" : ", with float32 master weights, which this folder has");
}

std::string batchText(const RunSpec& spec)
{
    const BatchRampSpec& ramp = spec.batch.ramp;
    const std::string growth =
        ramp.isOn() ? fmt::format(", grown from {} over the first {}", grouped(std::int64_t{ramp.start}),
                                  groupedCount(ramp.samples, "row"))
                    : std::string();
    return fmt::format("{}{}{}", groupedCount(spec.batch.global, "row"), growth,
                       spec.batch.packing ? ", packed without padding" : "");
}

std::string seenText(const CardFacts& facts)
{
    std::string text = grouped(facts.consumedSamples);
    const bool sawOthers = !facts.spec.phases.empty();
    const std::uint64_t rows = facts.dataSet && !sawOthers ? facts.dataSet->trainingRows() : 0;
    if (rows > 0)
        text += fmt::format(", {:.2f} times the training rows",
                            static_cast<double>(facts.consumedSamples) / static_cast<double>(rows));
    return text;
}

std::string adapterText(const CardFacts& facts)
{
    const ModelSpec& model = facts.spec.model;
    return fmt::format("rank {}, alpha {}, dropout {}, of {}: {} trained parameters; {}", model.lora.rank,
                       model.lora.alpha, model.lora.dropout,
                       plain(fmt::format("{}", fmt::join(loraTargets(model), ", "))),
                       grouped(trainedParameterCount(model)),
                       facts.adaptersAlone ? "this folder has them alone" : "merged into these weights");
}

Rows recipeRows(const CardFacts& facts)
{
    const RunSpec spec = facts.phase();
    Rows rows{{"Optimizer", optimizerText(spec.optimizer)},
              {"Learning rate", learningRateText(spec.optimizer)},
              {"Gradient clipping",
               spec.optimizer.clipNorm > 0 ? fmt::format("norm {}", spec.optimizer.clipNorm) : "none"},
              {"Batch", batchText(spec)},
              {"Steps", fmt::format("{} of {}", grouped(facts.step.value),
                                    grouped(std::int64_t{facts.spec.launch.steps}))},
              {"Rows seen", seenText(facts)}};
    // A journal that lacks steps would give too few.
    if (facts.history && facts.history->steps == facts.step.value)
        rows.push_back({"Tokens seen, without padding", grouped(facts.history->tokens)});
    if (facts.history && facts.history->skipped > 0)
        rows.push_back({"Steps skipped because of an overflow", grouped(facts.history->skipped)});
    rows.push_back({"Precision", precisionText(spec)});
    rows.push_back(
        {"Dropout", fmt::format("{}, of attention {}", spec.model.dropout, spec.model.attentionDropout)});
    if (spec.model.lora.isOn())
        rows.push_back({"Low-rank adapters", adapterText(facts)});
    rows.push_back({"Seed", std::to_string(spec.seed)});
    return rows;
}

std::string layoutText(const ParallelLayout& layout)
{
    std::vector<std::string> parts{fmt::format("data {}", layout.data)};
    const auto add = [&parts](const char* name, int degree) {
        if (degree > 1)
            parts.push_back(fmt::format("{} {}", name, degree));
    };
    add("context", layout.context);
    add("tensor", layout.tensor);
    if (layout.sequence && layout.tensor > 1)
        parts.emplace_back("sequence parallel");
    if (layout.pipeline > 1)
        parts.push_back(fmt::format("pipeline {} ({})", layout.pipeline, nameOf(layout.schedule)));
    return fmt::format("{}", fmt::join(parts, ", "));
}

std::string memoryText(const MemorySpec& memory)
{
    std::vector<std::string> parts;
    if (memory.zeroStage > 0)
        parts.push_back(fmt::format("ZeRO {}", memory.zeroStage));
    if (memory.recompute != RecomputeKind::None)
        parts.push_back(fmt::format("{} recomputation", nameOf(memory.recompute)));
    const auto addIf = [&parts](bool isOn, const char* text) {
        if (isOn)
            parts.emplace_back(text);
    };
    addIf(memory.offloadActivations, "activations offloaded");
    addIf(memory.offloadOptimizer, "optimizer offloaded");
    addIf(memory.offloadParameters, "weights offloaded");
    return fmt::format("{}", fmt::join(parts, ", "));
}

Rows hardwareRows(const CardFacts& facts)
{
    const RunSpec spec = facts.phase();
    Rows rows{{"Ranks", std::to_string(spec.layout.worldSize())},
              {"Layout", layoutText(spec.layout)},
              {"Micro-batch", fmt::format("{}, {} per step", groupedCount(spec.batch.micro, "row"),
                                          groupedCount(spec.batch.accumulation, "time"))}};
    if (const std::string memory = memoryText(spec.memory); !memory.empty())
        rows.push_back({"Memory", memory});
    if (!facts.hardware.empty())
        rows.push_back({"Hardware", plain(facts.hardware)});
    if (facts.history && facts.history->steps == facts.step.value) {
        const auto time = std::chrono::milliseconds(static_cast<std::int64_t>(1000 * facts.history->seconds));
        rows.push_back({"Time of its steps", formatDuration(time)});
    }
    if (facts.history && facts.history->attempts > 1)
        rows.push_back(
            {"Attempts", fmt::format("{}; this is the layout of the last one", facts.history->attempts)});
    rows.push_back({"Software", std::string("Trainyard ") + TRAINYARD_VERSION});
    return rows;
}

/// Those up to the checkpoint.
Rows phaseRows(const CardFacts& facts)
{
    Rows rows;
    for (int phase = 0; phase <= phaseOfStep(facts.spec, facts.step.value); ++phase) {
        const RunSpec spec = specOfPhase(facts.spec, phase);
        const std::int64_t steps = spec.launch.steps;
        const std::int64_t done = std::min(steps, facts.step.value - stepsBefore(facts.spec, phase));
        rows.push_back({plain(phaseName(facts.spec, phase)),
                        fmt::format("{} of {}", grouped(done), grouped(steps)), dataSetName(spec),
                        batchText(spec), learningRateText(spec.optimizer)});
    }
    return rows;
}

std::string phases(const CardFacts& facts)
{
    if (facts.spec.phases.empty())
        return {};
    return "\n### Phases\n\nTraining data, recipe and layout in this card are those of the last one "
           "here.\n\n" +
           table({"Phase", "Steps", "Data set", "Batch", "Learning rate"}, phaseRows(facts));
}

std::string training(const CardFacts& facts)
{
    return "\n## Training\n\n" + table({"", ""}, recipeRows(facts)) + phases(facts) +
           "\n### Layout and hardware\n\n" + table({"", ""}, hardwareRows(facts));
}

std::string curve(const CardFacts& facts)
{
    std::string text = "\n## Training loss\n\n";
    if (!facts.history || facts.history->curve.empty())
        return text + "The records of its steps were not available when this card was written.\n";
    const bool hasParts = facts.spec.model.predictsNextSentence();
    std::vector<std::string> head{"Step", "Loss", "Learning rate"};
    if (hasParts)
        head.insert(head.begin() + 2, {"Masked tokens", "Next sentence"});
    Rows rows;
    for (const CurvePoint& point : facts.history->curve) {
        std::vector<std::string> row{grouped(point.step), fmt::format("{:.4f}", point.loss),
                                     fmt::format("{:.3g}", point.learningRate)};
        if (hasParts)
            row.insert(row.begin() + 2,
                       {fmt::format("{:.4f}", point.tokenLoss), fmt::format("{:.4f}", point.sequenceLoss)});
        rows.push_back(std::move(row));
    }
    return text + "Each figure is of one step's batch.\n\n" + table(head, rows);
}

std::vector<EvaluationRecord> shownEvaluations(const std::vector<EvaluationRecord>& all)
{
    if (all.size() <= kMaxEvaluations)
        return all;
    std::vector<EvaluationRecord> few;
    for (std::size_t i = 0; i < kMaxEvaluations; ++i)
        few.push_back(all[i * (all.size() - 1) / (kMaxEvaluations - 1)]);
    return few;
}

std::string evaluationTable(const CardFacts& facts)
{
    const ModelFamily family = facts.spec.model.family;
    std::vector<std::string> head{"Step", "loss"};
    for (const auto& [name, value] : metricsOf(facts.history->evaluations.back(), family))
        head.emplace_back(name);
    Rows rows;
    for (const EvaluationRecord& record : shownEvaluations(facts.history->evaluations)) {
        std::vector<std::string> row{grouped(record.step), fmt::format("{:.4f}", record.loss)};
        for (const auto& [name, value] : metricsOf(record, family))
            row.push_back(fmt::format("{:.4f}", value));
        row.resize(head.size());
        rows.push_back(std::move(row));
    }
    return table(head, rows);
}

std::string evaluationSource(const CardFacts& facts, std::uint64_t count)
{
    const std::string rows = nounFor(count, "held-out row");
    const std::string other = facts.phase().evaluation.dataset;
    if (other.empty())
        return rows + " of its data set";
    return fmt::format("{} of the data set \"{}\"", rows,
                       plain(std::filesystem::path(other).filename().string()));
}

std::string results(const CardFacts& facts)
{
    std::string text = "\n## Results on held-out rows\n\n";
    if (!facts.history || facts.history->evaluations.empty())
        return text + "None were recorded up to this step.\n";
    const EvaluationRecord& last = facts.history->evaluations.back();
    const std::string judged =
        facts.spec.model.task.judgesSequences()
            ? "Figures over "
            : fmt::format("Means over {} to predict in ",
                          groupedCount(static_cast<std::int64_t>(last.tokens), "token"));
    text += fmt::format("{}{} {}, which it was not trained on, without dropout.\n\n", judged,
                        grouped(last.rows), evaluationSource(facts, last.rows));
    return text + evaluationTable(facts);
}

/// Where the tokenizer or the positions differ from what a reader of the configuration expects.
std::vector<std::string> limits(const CardFacts& facts)
{
    const ModelSpec& model = facts.spec.model;
    std::vector<std::string> lines;
    if (facts.dataSet) {
        lines.push_back(
            fmt::format("It was trained on the text named above alone{}, and repeats its errors and "
                        "biases.",
                        facts.spec.init.isOn() ? ", besides what it began with" : ""));
        const bool sawOthers = facts.spec.init.isOn() || !facts.spec.phases.empty(); // perhaps longer rows
        if (facts.dataSet->sequenceLength < model.maxPositions && !sawOthers &&
            model.positions == PositionEncoding::Learned)
            lines.push_back(fmt::format("It was trained on rows of at most {}: positions from {} to {} "
                                        "were never trained.",
                                        groupedCount(facts.dataSet->sequenceLength, "token"),
                                        facts.dataSet->sequenceLength, model.maxPositions - 1));
    }
    if (facts.hasRun() && facts.step.value < facts.spec.launch.steps)
        lines.emplace_back("Its training was not finished.");
    const CardTokenizer tokenizer = facts.tokenizer.value_or(CardTokenizer{});
    if (tokenizer.entries > 0 && tokenizer.entries < static_cast<std::size_t>(model.vocabulary))
        lines.push_back(fmt::format("The tokenizer has {} entries; tokens from {} to {} never occur.",
                                    grouped(std::uint64_t{tokenizer.entries}), tokenizer.entries,
                                    model.vocabulary - 1));
    if (facts.tokenizer)
        lines.emplace_back("The tokenizer takes names of special tokens in a text, such as [SEP], for these "
                           "tokens; in the training data they were plain text.");
    if (tokenizer.profile == kGooglePython)
        lines.emplace_back("The training data was tokenized with the Unicode tables of Google's "
                           "tokenization.py on Python 3.11; the tokenizer here treats a few rare characters "
                           "differently.");
    lines.emplace_back("It was not evaluated on any task beyond the figures above.");
    return lines;
}

std::string limitations(const CardFacts& facts)
{
    std::string text = "\n## Limitations\n\n";
    for (const std::string& line : limits(facts))
        text += "- " + line + "\n";
    return text;
}

} // namespace

std::string modelCard(const CardFacts& facts)
{
    std::string text = metadata(facts) + "\n" + introduction(facts) + taskText(facts) + use(facts);
    if (facts.hasRun())
        text += data(facts) + training(facts) + curve(facts) + results(facts);
    return text + limitations(facts);
}

} // namespace trainyard
