#include "remote/agent/runs/run_work.h"

#include <algorithm>
#include <array>
#include <span>

#include <nlohmann/json.hpp>

#include "engine/base/file.h"
#include "engine/spec/spec_json.h"
#include "engine/spec/validate.h"

namespace trainyard::agent {

namespace {

constexpr std::array<std::string_view, 3> kDataCommands{"prepare", "documents", "verify"};
constexpr std::array<std::string_view, 3> kModelCommands{"eval", "export", "try"}; ///< of trainyard-worker
constexpr std::array kKinds{WorkKind::Train, WorkKind::Prepare, WorkKind::Probe};
constexpr std::array<std::string_view, kKinds.size()> kNames{"train", "prepare", "probe"};

bool isIn(std::span<const std::string_view> words, std::string_view word)
{
    return std::ranges::find(words, word) != words.end();
}

} // namespace

std::string_view nameOf(WorkKind kind)
{
    return kNames[static_cast<std::size_t>(kind)];
}

std::optional<WorkKind> workKindFrom(std::string_view name)
{
    for (const WorkKind kind : kKinds) {
        if (nameOf(kind) == name)
            return kind;
    }
    return std::nullopt;
}

std::filesystem::path workFile(const RunFolder& folder, WorkKind kind)
{
    switch (kind) {
    case WorkKind::Train:
        break;
    case WorkKind::Prepare:
        return folder.job();
    case WorkKind::Probe:
        return folder.probe();
    }
    return folder.spec();
}

WorkKind kindOf(const RunFolder& folder)
{
    std::error_code ignored;
    for (const WorkKind kind : {WorkKind::Prepare, WorkKind::Probe}) {
        if (std::filesystem::exists(workFile(folder, kind), ignored))
            return kind;
    }
    return WorkKind::Train;
}

std::string_view streamOf(WorkKind kind)
{
    return kind == WorkKind::Train ? "steps" : nameOf(kind);
}

std::string RunWork::program() const
{
    const bool isOnData = kind == WorkKind::Prepare && !isIn(kModelCommands, command);
    return isOnData ? "trainyard-prepare" : "trainyard-worker";
}

Result<RunWork> parseTraining(std::string_view specText)
{
    const ParsedSpec parsed = parseSpec(specText);
    Diagnostics diagnostics = parsed.diagnostics;
    if (diagnostics.empty())
        diagnostics = validate(parsed.spec);
    if (!diagnostics.empty())
        return toError(diagnostics).in("the specification");
    const RunSpec& spec = parsed.spec;
    RunWork work{WorkKind::Train,         spec.name,
                 spec.layout.worldSize(), spec.launch.threadsPerRank,
                 spec.launch.steps,       spec.launch.gracePeriod};
    work.restart = spec.launch.restart;
    work.mpi = spec.launch.mpi;
    work.device = spec.launch.device;
    work.waitForDevices = spec.launch.waitForDevices;
    return work;
}

Result<RunWork> parsePreparation(std::string_view jobText)
{
    using nlohmann::json;
    const json job = json::parse(jobText, nullptr, false);
    if (!job.is_object() || !job.contains("arguments") || !job["arguments"].is_array())
        return badInput("the job is not an object with the list \"arguments\"");
    RunWork work;
    work.kind = WorkKind::Prepare;
    if (job.contains("name") && job["name"].is_string())
        work.name = job["name"].get<std::string>();
    if (job.contains("command")) {
        const json& command = job["command"];
        work.command = command.is_string() ? command.get<std::string>() : std::string();
        if (!isIn(kDataCommands, work.command) && !isIn(kModelCommands, work.command))
            return badInput(
                "job.command is not \"prepare\", \"documents\", \"verify\", \"eval\", \"export\" or "
                "\"try\"",
                "the agent may be outdated: deploy again");
    }
    for (const json& argument : job["arguments"]) {
        if (!argument.is_string())
            return badInput("job.arguments contains a value that is not a string");
        work.arguments.push_back(argument.get<std::string>());
    }
    return work;
}

Result<RunWork> parseProbe(std::string_view specText)
{
    TRAINYARD_TRY(const RunWork training, parseTraining(specText));
    RunWork work;
    work.kind = WorkKind::Probe;
    work.name = training.name;
    work.ranks = parseSpec(specText).spec.cluster.totalSlots();
    work.threadsPerRank = training.threadsPerRank;
    work.mpi = training.mpi;
    work.device = training.device;
    work.waitForDevices = training.waitForDevices;
    return work;
}

Result<RunWork> parseWork(WorkKind kind, std::string_view text)
{
    switch (kind) {
    case WorkKind::Train:
        break;
    case WorkKind::Prepare:
        return parsePreparation(text);
    case WorkKind::Probe:
        return parseProbe(text);
    }
    return parseTraining(text);
}

Result<RunWork> loadWork(const RunFolder& folder)
{
    const WorkKind kind = kindOf(folder);
    TRAINYARD_TRY(const std::string text, readFile(workFile(folder, kind)));
    return parseWork(kind, text);
}

} // namespace trainyard::agent
