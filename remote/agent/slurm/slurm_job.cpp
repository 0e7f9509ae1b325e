#include "remote/agent/slurm/slurm_job.h"

#include <algorithm>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "engine/base/file.h"
#include "remote/agent/runs/run_status.h"
#include "remote/agent/slurm/slurm_control.h"

namespace trainyard::agent {

using nlohmann::json;

std::optional<SlurmJob> readSlurmJob(const RunFolder& folder)
try {
    const auto text = readFile(folder.slurmJob());
    if (!text.ok())
        return std::nullopt;
    const json document = json::parse(*text);
    SlurmJob job{document.at("job").get<std::string>(), document.at("attempt").get<std::uint32_t>()};
    return job.id.empty() ? std::nullopt : std::optional(std::move(job));
} catch (const json::exception&) { // damaged, or a value of another type
    return std::nullopt;
}

Status writeSlurmJob(const RunFolder& folder, const SlurmJob& job)
{
    const json document{{"trainyard", 1}, {"job", job.id}, {"attempt", job.attempt}};
    return writeFileAtomically(folder.slurmJob(), document.dump(2) + "\n");
}

Result<std::optional<JobFacts>> askJob(const RunFolder& folder, const SlurmJob& job)
{
    TRAINYARD_TRY(auto facts, askJob(job.id));
    if (facts && !facts->folder.empty() && RunFolder(facts->folder).run() != folder.run())
        facts.reset();
    return facts;
}

Status checkIsOver(const RunFolder& folder, const SlurmJob& job)
{
    TRAINYARD_TRY(const auto facts, askJob(folder, job));
    if (facts && phaseOf(*facts) != JobPhase::Ended)
        return refused(fmt::format("Slurm job {} of the run is {}", job.id, facts->state), "stop it first");
    return {};
}

std::uint32_t attemptOf(const SlurmJob& job, int restarts, std::uint32_t lastSigned)
{
    if (restarts == 0)
        return job.attempt;
    return std::max(job.attempt + static_cast<std::uint32_t>(restarts), lastSigned + 1);
}

std::uint32_t lastSignedAttempt(const RunFolder& folder)
{
    const auto supervisor = readSupervisor(folder);
    return supervisor ? supervisor->attempt : 0;
}

} // namespace trainyard::agent
