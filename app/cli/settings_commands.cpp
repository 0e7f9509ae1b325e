#include <QJsonArray>
#include <QJsonObject>

#include "app/cli/commands.h"
#include "app/cli/support/console.h"
#include "app/cli/support/output_file.h"
#include "app/cli/support/problem_output.h"
#include "app/cli/support/spec_input.h"
#include "engine/base/file.h"
#include "engine/spec/foreign/foreign_settings.h"
#include "engine/spec/limits.h"
#include "engine/spec/recipes.h"
#include "engine/spec/spec_json.h"
#include "engine/spec/validate.h"

namespace trainyard {

namespace {

constexpr auto kImportFooter = R"(FILE is, for
  deepspeed  its configuration (JSON)
  megatron   command-line arguments of Megatron-LM, alone or in the script that starts it
  sagemaker  smp_options, or the parameters of its model-parallel library, version 1 or 2 (JSON)
The specification is written to standard output, or to --out. Standard error lists settings without a counterpart,
each with advice, and anything the specification still needs before it can be launched.
  trainyard import-spec deepspeed ds_config.json --base spec.json --ranks 64 --out ported.json)";

constexpr auto kExportFooter =
    R"(The settings are written to standard output, or to --out. Standard error lists settings without a counterpart,
each with advice.
  trainyard export-spec megatron spec.json --out arguments.sh)";

struct SettingsOptions {
    std::string tool;
    std::string file; ///< what is read
    std::string base;
    std::string out; ///< empty: standard output
    std::optional<int> ranks;
    bool json = false;
};

QString textOf(const std::string& text)
{
    return QString::fromStdString(text);
}

QJsonArray toJson(const Omissions& omissions)
{
    QJsonArray array;
    for (const Omission& omission : omissions)
        array << QJsonObject{{"field", textOf(omission.field)},
                             {"value", textOf(omission.value)},
                             {"reason", textOf(omission.reason)},
                             {"advice", textOf(omission.advice)}};
    return array;
}

void warn(const Omissions& omissions)
{
    for (const Omission& omission : omissions)
        console::warn("no counterpart for " + textOf(omission.text()));
}

/// Writes `text` where the user wants it. With `json` standard output has `document` instead.
Result<int> deliver(const SettingsOptions& options, const std::string& text, const QJsonObject& document)
{
    TRAINYARD_TRY_STATUS(checkOutputFile("--out", options.out));
    TRAINYARD_TRY_STATUS(
        checkOnePrinted({{"--out -", isStandardOutput(options.out)}, {"--json", options.json}}));
    if (!options.out.empty() || !options.json)
        TRAINYARD_TRY_STATUS(writeOutputFile(options.out.empty() ? "-" : options.out, text));
    if (options.json)
        console::print(QJsonDocument(document));
    return 0;
}

Result<ImportBase> baseOf(const SettingsOptions& options)
{
    if (options.base.empty())
        return ImportBase{{}, options.ranks};
    TRAINYARD_TRY(RunSpec spec, readSpec(options.base));
    return ImportBase{std::move(spec), options.ranks};
}

Result<int> importSpec(const SettingsOptions& options)
{
    TRAINYARD_TRY(const auto base, baseOf(options));
    TRAINYARD_TRY(const auto text, readFile(options.file));
    const ImportedSpec imported = importSettings(*foreignToolFromName(options.tool), text, base);
    if (!imported.problems.empty())
        return failForProblems(options.file, imported.problems, options.json);
    warn(imported.omissions);
    const Diagnostics missing = validate(imported.spec);
    const bool hasFile = !options.out.empty() && !isStandardOutput(options.out);
    warn(hasFile ? options.out : "the specification", missing);
    const std::string json = toJson(imported.spec);
    return deliver(options, json,
                   {{"spec", QJsonDocument::fromJson(QByteArray::fromStdString(json)).object()},
                    {"without_counterpart", toJson(imported.omissions)},
                    {"problems", toJson(missing)}});
}

Result<int> exportSpec(const SettingsOptions& options)
{
    const auto [spec, status] = readSpecInput(options.file, options.json);
    if (status != 0)
        return status;
    const ExportedSettings exported = exportSettings(*foreignToolFromName(options.tool), spec);
    warn(exported.omissions);
    return deliver(
        options, exported.text,
        {{"settings", textOf(exported.text)}, {"without_counterpart", toJson(exported.omissions)}});
}

struct RecipeOptions {
    std::string name; ///< empty: lists them
    std::vector<std::string> dataSets;
    std::string out; ///< empty: standard output
    bool json = false;
};

QJsonArray recipesJson()
{
    QJsonArray array;
    for (const std::string& name : recipeNames()) {
        const Recipe recipe = *recipeOf(name);
        QJsonArray lengths;
        for (const int length : recipe.lengths)
            lengths << length;
        array << QJsonObject{{"name", textOf(name)},
                             {"title", textOf(recipe.title)},
                             {"source", textOf(recipe.source)},
                             {"lengths", lengths}};
    }
    return array;
}

void listRecipes(bool json)
{
    if (json)
        return console::print(QJsonDocument(QJsonObject{{"recipes", recipesJson()}}));
    QList<QStringList> rows;
    for (const std::string& name : recipeNames())
        rows << QStringList{textOf(name), textOf(recipeOf(name)->title)};
    console::print(console::table(rows));
}

Result<int> printRecipe(const RecipeOptions& options)
{
    if (options.name.empty()) {
        listRecipes(options.json);
        return 0;
    }
    const auto recipe = recipeOf(options.name);
    if (!recipe)
        return badInput("there is no recipe \"" + options.name + "\"", "`trainyard recipe` lists them");
    TRAINYARD_TRY(const RunSpec run, runOf(*recipe, options.dataSets));
    TRAINYARD_TRY_STATUS(checkOutputFile("--out", options.out));
    TRAINYARD_TRY_STATUS(writeOutputFile(options.out.empty() ? "-" : options.out, toJson(run)));
    console::note(textOf(recipe->title + ". " + recipe->source + "."));
    return 0;
}

void addRecipeCommand(CLI::App& app, CommandOutcome& outcome)
{
    auto options = std::make_shared<RecipeOptions>();
    CLI::App* command =
        app.add_subcommand("recipe", "List published trainings, or print one as a run specification");
    command->add_option("NAME", options->name, "Recipe (default: list all)");
    command
        ->add_option("--data", options->dataSets,
                     "Data set of a phase, as every host sees it; once for each phase, in their order")
        ->expected(1)
        ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
    addOutOption(*command, options->out);
    addJsonFlag(*command, options->json);
    command->callback([&outcome, options] { outcome.status = console::exitWith(printRecipe(*options)); });
}

void addCommonOptions(CLI::App& command, SettingsOptions& options)
{
    command.add_option("TOOL", options.tool, "deepspeed, megatron or sagemaker")
        ->required()
        ->check(CLI::IsMember({"deepspeed", "megatron", "sagemaker"}));
    addOutOption(command, options.out);
    addJsonFlag(command, options.json);
}

} // namespace

void addSettingsCommands(CLI::App& app, CommandOutcome& outcome)
{
    addRecipeCommand(app, outcome);
    auto options = std::make_shared<SettingsOptions>();
    CLI::App* read = app.add_subcommand(
        "import-spec", "Convert settings of DeepSpeed, Megatron-LM or SageMaker to a run specification");
    addCommonOptions(*read, *options);
    read->add_option("FILE", options->file, "The settings")->required();
    read->add_option("--base", options->base,
                     "Run specification (JSON) for everything the settings lack: cluster, data set, model");
    read->add_option(
            "--ranks", options->ranks,
            "Devices that the settings were written for (default: the launcher's, else the base's slots)")
        ->check(CLI::Range(1, kMaxRanks));
    read->footer(kImportFooter);
    read->callback([&outcome, options] { outcome.status = console::exitWith(importSpec(*options)); });

    CLI::App* write = app.add_subcommand(
        "export-spec", "Convert a run specification to settings of DeepSpeed, Megatron-LM or SageMaker");
    addCommonOptions(*write, *options);
    addSpecOption(*write, options->file);
    write->footer(kExportFooter);
    write->callback([&outcome, options] { outcome.status = console::exitWith(exportSpec(*options)); });
}

} // namespace trainyard
