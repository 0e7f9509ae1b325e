#include "engine/worker/model_commands.h"

#include <CLI/CLI.hpp>
#include <c10/util/Exception.h>
#include <fmt/format.h>

#include "engine/base/standard_streams.h"
#include "engine/generation/options/try_command_line.h"
#include "engine/memory/accounting_allocator.h"
#include "engine/nn/cpu_math.h"
#include "engine/spec/names.h"

namespace trainyard {

namespace {

template <typename Enum>
CLI::Validator namedEnum()
{
    return CLI::Validator(
        [](const std::string& name) {
            return enumFromName<Enum>(name)
                       ? std::string()
                       : fmt::format("\"{}\" is not one of: {}", name, acceptedNames<Enum>());
        },
        std::string(acceptedNames<Enum>()));
}

CLI::Validator byteSize()
{
    return CLI::Validator(
        [](const std::string& text) {
            const auto bytes = parseBytes(text);
            return bytes.ok() ? std::string() : bytes.error().text();
        },
        "SIZE");
}

/// Whom the user called: "trainyard-worker", or "trainyard certify".
std::string speaker(const CLI::App& app)
{
    const std::string name = app.get_name();
    return name == "trainyard" ? name + " " + app.get_subcommands().front()->get_name() : name;
}

} // namespace

ModelCommands::ModelCommands(CLI::App& app) : m_app(app)
{
    addEval();
    addImportAndExport();
    addCertify();
    addTry();
}

void ModelCommands::addEval()
{
    CLI::App* command = m_app.add_subcommand(
        "eval", "Compute loss, logits and gradients of an imported model on given inputs");
    command->footer(
        "Examples:\n"
        "  trainyard eval --hf bert-base --inputs batch.safetensors --out results.safetensors\n"
        "  trainyard eval --hf bert-base --inputs batch.safetensors --train lamb --steps 50 --json");
    command->add_option("--hf", m_eval.huggingFace, "Folder with config.json and model.safetensors")
        ->required();
    command->add_option("--inputs", m_eval.inputs, "Safetensors file with the inputs")->required();
    CLI::Option* out = command->add_option("--out", m_eval.out, "Safetensors file to write");
    command->add_option("--precision", m_precision, "Compute type of the forward and backward pass")
        ->check(namedEnum<ComputeType>())
        ->capture_default_str();
    CLI::Option* train =
        command->add_option("--train", m_optimizer, "Train on the inputs and print the loss of each step")
            ->check(namedEnum<OptimizerKind>());
    command
        ->add_option("--layout", m_eval.layout,
                     "Specification file: evaluate in its layout, with ranks as threads of this process")
        ->needs(out)
        ->excludes(train);
    OptimizerSpec& optimizer = m_training.optimizer;
    command->add_option("--steps", m_training.steps, "Optimizer steps")->needs(train)->capture_default_str();
    command->add_option("--lr", optimizer.learningRate, "Learning rate")->needs(train)->capture_default_str();
    command->add_option("--beta1", optimizer.beta1, "Decay rate of the first moment")
        ->needs(train)
        ->capture_default_str();
    command->add_option("--beta2", optimizer.beta2, "Decay rate of the second moment")
        ->needs(train)
        ->capture_default_str();
    command->add_option("--eps,--epsilon", optimizer.epsilon, "Added to the denominator")
        ->needs(train)
        ->capture_default_str();
    command
        ->add_option("--weight-decay", optimizer.weightDecay,
                     "Weight decay per step, times the learning rate")
        ->needs(train)
        ->capture_default_str();
    command->add_option("--clip,--clip-norm", optimizer.clipNorm, "Maximum gradient norm; 0 = no clipping")
        ->needs(train)
        ->capture_default_str();
    command->add_flag("--json", m_json, "Print the series as one JSON document")->needs(train);
}

void ModelCommands::addImportAndExport()
{
    CLI::App* import = m_app.add_subcommand("import", "Convert Hugging Face weights to a checkpoint");
    import->footer("Example:\n  trainyard import --hf bert-base --out bert-base-checkpoint");
    import->add_option("--hf", m_import.huggingFace, "Folder with config.json and model.safetensors")
        ->required();
    import->add_option("--out", m_import.checkpoint, "Folder for the checkpoint")->required();
    CLI::App* exported =
        m_app.add_subcommand("export", "Export a checkpoint's weights to Hugging Face files");
    exported->footer(
        "Example:\n  trainyard export runs/20261121T091505Z-bert-tiny-3f2a/checkpoints --hf bert-tiny");
    exported
        ->add_option("checkpoint,--checkpoint", m_export.checkpoint,
                     "A checkpoint, or a folder of checkpoints")
        ->required();
    exported->add_option("--hf", m_export.huggingFace, "Folder to write; must not exist")->required();
    exported->add_option("--max-shard", m_maxShard, "Split the weights into files of at most this size")
        ->check(byteSize())
        ->capture_default_str();
}

void ModelCommands::addCertify()
{
    CLI::App* command = m_app.add_subcommand(
        "certify", "Train a small model in a specification's layout and on one rank, and compare every step");
    command->footer("Example:\n  trainyard certify spec.json --steps 10\nExit status 5 if a step differs; "
                    "its number and first differing tensor are named.");
    command->add_option("spec,--spec", m_certify.spec, "Specification file; its data set is not needed")
        ->required();
    command->add_option("--steps", m_certify.steps, "Optimizer steps to compare")
        ->check(CLI::Range(1, 1000))
        ->capture_default_str();
    command->add_flag("--json", m_certify.json, "Print the certificate as one JSON document");
}

void ModelCommands::addTry()
{
    CLI::App* command = m_app.add_subcommand("try", kTrySummary);
    addTryOptions(*command, m_try);
    command->add_option("--run-dir", m_tryRunDirectory,
                        "Of a job: print into DIR/journal/prepare; RUN is the id of a run beside DIR");
}

Status ModelCommands::runChosen()
{
    configureAllocator();
    if (m_app.got_subcommand("import"))
        return runImport(m_import);
    if (m_app.got_subcommand("export")) {
        TRAINYARD_TRY(m_export.maxShard, parseBytes(m_maxShard));
        return runExport(m_export);
    }
    configureCpuMath();
    AccountingAllocator::install();
    if (m_app.got_subcommand("certify"))
        return runCertify(m_certify);
    if (m_app.got_subcommand("try"))
        return runTry(m_try, m_tryRunDirectory);
    m_eval.precision = *enumFromName<ComputeType>(m_precision);
    if (!m_optimizer.empty()) {
        m_training.optimizer.kind = *enumFromName<OptimizerKind>(m_optimizer);
        m_eval.training = m_training;
    }
    TRAINYARD_TRY(const TrainingSeries series, runEval(m_eval));
    if (m_eval.training)
        printOutput((m_json ? series.toJson() : series.toTable()) + '\n');
    return {};
}

int ModelCommands::run()
{
    guardStandardStreams();
    Status status;
    try {
        status = runChosen();
    } catch (const c10::Error& error) {
        status = failed(error.what_without_backtrace());
    } catch (const std::exception& error) {
        status = failed(error.what());
    }
    if (!status.ok())
        printError(speaker(m_app), status.error());
    return exitStatusAfterOutput(status.ok() ? 0 : exitStatus(status.error().kind), speaker(m_app));
}

} // namespace trainyard
