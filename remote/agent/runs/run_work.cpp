#include "remote/agent/runs/run_work.h"

#include <nlohmann/json.hpp>

#include "engine/base/file.h"
#include "engine/spec/spec_json.h"
#include "engine/spec/validate.h"

namespace trainyard::agent {

std::string_view nameOf(WorkKind kind)
{
    return kind == WorkKind::Train ? "train" : "prepare";
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
        if (command != "prepare" && command != "documents" && command != "verify")
            return badInput("job.command is none of \"prepare\", \"documents\" and \"verify\"",
                            "the agent may be older than the desk: deploy again");
        work.command = command.get<std::string>();
    }
    for (const json& argument : job["arguments"]) {
        if (!argument.is_string())
            return badInput("job.arguments holds something else than texts");
        work.arguments.push_back(argument.get<std::string>());
    }
    return work;
}

Result<RunWork> loadWork(const RunFolder& folder)
{
    std::error_code ignored;
    if (std::filesystem::exists(folder.spec(), ignored)) {
        TRAINYARD_TRY(const std::string text, readFile(folder.spec()));
        return parseTraining(text);
    }
    TRAINYARD_TRY(const std::string text, readFile(folder.job()));
    return parsePreparation(text);
}

} // namespace trainyard::agent
