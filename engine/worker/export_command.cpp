#include "engine/worker/export_command.h"

#include <filesystem>

#include <fmt/format.h>

#include "datasets/shards/manifest.h"
#include "engine/base/standard_streams.h"
#include "engine/checkpoint/format/checkpoint_name.h"
#include "engine/checkpoint/hugging_face/conversion_commands.h"
#include "engine/checkpoint/hugging_face/format/architecture.h"
#include "engine/checkpoint/hugging_face/hugging_face_export.h"
#include "engine/hand_over/hardware_text.h"
#include "engine/hand_over/model_card.h"
#include "engine/hand_over/tokenizer_files.h"
#include "engine/planner/layout/parameter_parts.h"
#include "engine/spec/names.h"
#include "engine/training/run_directory.h"
#include "engine/worker/answer_output.h"
#include "engine/worker/missing_shards.h"
#include "engine/worker/stop_signals.h"
#include "engine/worker/text_codec.h"

namespace trainyard {

namespace fs = std::filesystem;

namespace {

constexpr Bytes kReportedBytes = 64 * kMiB; ///< between two reports of a job's progress

/// One export, from the checkpoint to the folder.
class Export {
public:
    Export(const ModelExportOptions& options, StoredModel model, const fs::path& runDirectory,
           AnswerOutput& output, const StopFlag& stop)
        : m_options(options)
        , m_model(std::move(model))
        , m_runDirectory(runDirectory)
        , m_folder(runDirectory / options.folder)
        , m_output(output)
        , m_stop(stop)
    {
    }

    Status run()
    {
        readDataSet();
        TRAINYARD_TRY_STATUS(checkHuggingFaceFolder(m_folder, m_model.spec()));
        if (m_options.adapters && !m_model.spec().lora.isOn())
            return badInput("--adapters: the model was trained without low-rank adapters",
                            "leave it out to export the weights");
        TRAINYARD_TRY_STATUS(checkSpace());
        TRAINYARD_TRY_STATUS(addTokenizer());
        addLabels();
        addCard();
        if (m_runDirectory.empty()) // the client of a job shows its progress
            printNotice(
                fmt::format("writing {} of weights to {}\n", formatBytes(weightBytes()), m_folder.string()));
        m_extras.onProgress = [this](Bytes written, Bytes total) { return onProgress(written, total); };
        TRAINYARD_TRY(const Bytes maxShard, parseBytes(m_options.maxShard));
        const auto type = enumFromName<ComputeType>(m_options.type);
        return runExport({m_model.folder(), m_folder, maxShard, m_extras, m_options.adapters, type});
    }

private:
    const RunSpec& spec() const { return *m_model.run(); }
    Bytes weightBytes() const { return static_cast<Bytes>(parameterCount(m_model.spec())) * sizeof(float); }

    /// A data set that is gone leaves out what it would tell.
    void readDataSet()
    {
        const std::string folder = m_model.dataSet();
        auto manifest = folder.empty() ? Result<Manifest>(badInput("no data set")) : Manifest::load(folder);
        if (manifest.ok())
            m_dataSet = std::move(*manifest);
    }

    Status checkSpace() const
    {
        std::error_code unknown;
        fs::path place = fs::absolute(m_folder).parent_path();
        while (!fs::exists(place, unknown) && place.has_relative_path())
            place = place.parent_path();
        const auto space = fs::space(place, unknown);
        if (unknown || space.available >= weightBytes())
            return {};
        return failed(fmt::format("the weights need {}, and {} has {} free", formatBytes(weightBytes()),
                                  place.string(), formatBytes(space.available)),
                      "free some space, or choose a folder on another disk");
    }

    Status addTokenizer()
    {
        if (m_options.withoutTokenizer)
            return {};
        if (m_options.vocabulary.empty() && m_model.dataSet().empty()) {
            m_output.remark(
                "without tokenizer: the checkpoint is of no run with a data set; --vocab FILE names "
                "its vocabulary");
            return {};
        }
        auto files = tokenizerOf(m_model, m_options.vocabulary, m_options.cased);
        if (!files.ok())
            return badInput(files.error().message,
                            "name the vocabulary of the model with --vocab FILE, or leave the tokenizer out "
                            "with --no-tokenizer");
        TRAINYARD_TRY(const RowTokenizer tokenizer, files->load());
        TRAINYARD_TRY_STATUS(checkVocabulary(tokenizer.vocabulary, files->vocabulary));
        takeTokenizer(tokenizer, *files);
        return {};
    }

    Status checkVocabulary(const Vocabulary& vocabulary, const fs::path& file) const
    {
        const auto entries = static_cast<std::size_t>(m_model.spec().vocabulary);
        if (vocabulary.size() > entries)
            return badInput(fmt::format("{} has {} entries, but the model has {}", file.string(),
                                        vocabulary.size(), entries),
                            "it is another model's vocabulary: name the right one with --vocab");
        if (m_options.vocabulary.empty() && m_dataSet && vocabulary.sha256() != m_dataSet->vocabularySha256)
            return badInput(file.string() + " is not the file that its data set was made with",
                            "`trainyard verify` shows what has changed; name the right vocabulary with "
                            "--vocab");
        return {};
    }

    void takeTokenizer(const RowTokenizer& tokenizer, const TokenizerFiles& files)
    {
        const Vocabulary& vocabulary = tokenizer.vocabulary;
        m_extras.files = tokenizerFiles(tokenizer, m_model.spec());
        if (vocabulary.special().documentEnd != SpecialTokens::kNone)
            m_extras.endToken = vocabulary.special().documentEnd;
        m_tokenizer = CardTokenizer{vocabulary.size(), tokenizer.isCased, files.profile};
    }

    void addLabels()
    {
        const TaskSpec& task = m_model.spec().task;
        if (!task.hasLabels())
            return;
        const bool areKnown = m_dataSet && m_dataSet->taskKind() == task.kind &&
                              m_dataSet->task.labels.size() == static_cast<std::size_t>(task.labels);
        if (areKnown)
            m_extras.labels = m_dataSet->task.labels;
        else
            m_output.remark(
                "the labels are called LABEL_0 ...: the run's data set, which names them, cannot be "
                "read; id2label of config.json takes their names");
    }

    void addCard()
    {
        CardFacts facts{.name = fs::absolute(m_folder).filename().string(),
                        .family = architectureOf(m_model.spec()).className(m_model.spec()),
                        .spec = spec(),
                        .step = m_model.position()->step,
                        .consumedSamples = m_model.position()->consumedSamples,
                        .tokenizer = m_tokenizer,
                        .labels = m_extras.labels,
                        .adaptersAlone = m_options.adapters};
        if (facts.hasRun())
            addRunFacts(facts);
        m_extras.files["README.md"] = modelCard(facts);
    }

    /// A checkpoint that was copied elsewhere lacks some of them, and the card says so.
    void addRunFacts(CardFacts& facts)
    {
        facts.dataSet = m_dataSet;
        const RunDirectory run(m_model.folder().parent_path().parent_path());
        std::error_code ignored;
        if (!fs::equivalent(run.checkpoints(), m_model.folder().parent_path(), ignored))
            return;
        facts.hardware = hardwareText(run.root() / "inventory.json");
        if (!isOfPresentLine())
            return; // the journal has the steps of the line that replaced it
        auto history = readTrainingHistory(run.journals() / "steps", facts.step);
        if (history.ok())
            facts.history = std::move(*history);
        else
            m_output.remark("model card without curve: " + history.error().message);
    }

    bool isOfPresentLine() const
    {
        const auto name = CheckpointName::parse(m_model.folder().filename().string());
        return name && name->line == 0;
    }

    Status onProgress(Bytes written, Bytes total)
    {
        if (m_stop)
            return cancelled("the export was cancelled; nothing was written");
        if (written == 0 || written >= m_reported + kReportedBytes) {
            m_reported = written;
            ProgressRecord progress;
            progress.stage = "weights";
            progress.done = written;
            progress.total = total;
            progress.unit = "B";
            m_output.report(progress);
        }
        return {};
    }

    const ModelExportOptions& m_options;
    StoredModel m_model;
    fs::path m_runDirectory; ///< of a job; else empty
    fs::path m_folder;
    AnswerOutput& m_output;
    const StopFlag& m_stop;
    std::optional<Manifest> m_dataSet; ///< of the checkpoint's run
    FolderExtras m_extras;
    std::optional<CardTokenizer> m_tokenizer;
    Bytes m_reported = 0;
};

Status exportModel(const ModelExportOptions& options, const fs::path& runDirectory, AnswerOutput& output,
                   const StopFlag& stop)
{
    const CheckpointWish wish = CheckpointWish::of(options.step, options.best);
    const fs::path path = modelOfJob(options.model, runDirectory);
    TRAINYARD_TRY_STATUS(bringMissingShards(path, wish, output));
    TRAINYARD_TRY(StoredModel model, StoredModel::open(path, wish));
    if (!model.run())
        return badInput(options.model + " is a Hugging Face model already", "copy the folder");
    if (!model.remark().empty())
        output.remark("exporting " + model.remark());
    Export job(options, std::move(model), runDirectory, output, stop);
    TRAINYARD_TRY_STATUS(job.run());
    output.print(options.folder + '\n');
    return {};
}

} // namespace

Status runExportCommand(const ModelExportOptions& options, const fs::path& runDirectory)
{
    const StopSignals signals([](const char*) {});
    return answer(runDirectory, [&](AnswerOutput& output) {
        return exportModel(options, runDirectory, output, *signals.flag());
    });
}

} // namespace trainyard
