#include "engine/worker/model_commands.h"

#include <CLI/CLI.hpp>
#include <c10/util/Exception.h>
#include <fmt/format.h>

#include "engine/base/standard_streams.h"
#include "engine/generation/options/try_command_line.h"
#include "engine/memory/accounting_allocator.h"
#include "engine/nn/cpu_math.h"
#include "engine/worker/eval_command.h"
#include "engine/worker/export_command.h"

namespace trainyard {

namespace {

void addRunDirectory(CLI::App& command, std::filesystem::path& directory)
{
    command.add_option("--run-dir", directory,
                       "Of a job: print into DIR/journal/prepare; RUN is the id of a run beside DIR");
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
    CLI::App* command = m_app.add_subcommand("eval", kEvalSummary);
    addEvalOptions(*command, m_eval);
    addRunDirectory(*command, m_evalRunDirectory);
}

void ModelCommands::addImportAndExport()
{
    CLI::App* import = m_app.add_subcommand("import", "Convert Hugging Face weights to a checkpoint");
    import->footer("Example:\n  trainyard import --hf bert-base --out bert-base-checkpoint");
    import->add_option("--hf", m_import.huggingFace, "Folder with config.json and model.safetensors")
        ->required();
    import->add_option("--out", m_import.checkpoint, "Folder for the checkpoint")->required();
    CLI::App* exported =
        m_app.add_subcommand("export", "Export a checkpoint as a Hugging Face model, with tokenizer and card");
    exported->footer(
        "Example:\n  trainyard export runs/20261121T091505Z-bert-tiny-3f2a/checkpoints --hf bert-tiny");
    exported
        ->add_option("checkpoint,--checkpoint", m_export.model,
                     "A run's directory, a checkpoint, or a folder of checkpoints")
        ->required();
    addModelExportOptions(*exported, m_export)->required();
    addRunDirectory(*exported, m_exportRunDirectory);
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
    addRunDirectory(*command, m_tryRunDirectory);
}

Status ModelCommands::runChosen()
{
    configureAllocator();
    if (m_app.got_subcommand("import"))
        return runImport(m_import);
    if (m_app.got_subcommand("export"))
        return runExportCommand(m_export, m_exportRunDirectory);
    configureCpuMath();
    AccountingAllocator::install();
    if (m_app.got_subcommand("certify"))
        return runCertify(m_certify);
    if (m_app.got_subcommand("try"))
        return runTry(m_try, m_tryRunDirectory);
    return runEvalCommand(m_eval, m_evalRunDirectory);
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
