#include "engine/spec/launch_json.h"

#include <fmt/format.h>

namespace trainyard {

using Json = nlohmann::ordered_json;

namespace {

std::string durationText(std::chrono::milliseconds duration)
{
    const auto ms = duration.count();
    return ms % 1000 == 0 ? fmt::format("{} s", ms / 1000) : fmt::format("{} ms", ms);
}

void readSlurm(FieldReader& reader, SlurmSpec& slurm)
{
    reader.read("partition", slurm.partition);
    reader.read("account", slurm.account);
    reader.read("qos", slurm.qos);
    reader.read("constraint", slurm.constraint);
    reader.readDuration("time_limit", slurm.timeLimit);
    reader.read("requeue", slurm.requeue);
    reader.readDuration("warning", slurm.warning);
}

void readRestart(FieldReader& reader, RestartSpec& restart)
{
    reader.read("limit", restart.limit);
    reader.readDuration("backoff", restart.backoff);
    reader.read("after_reboot", restart.afterReboot);
    reader.read("elastic", restart.elastic);
}

Json slurmJson(const SlurmSpec& slurm)
{
    return Json{{"partition", slurm.partition},
                {"account", slurm.account},
                {"qos", slurm.qos},
                {"constraint", slurm.constraint},
                {"time_limit", durationText(slurm.timeLimit)},
                {"requeue", slurm.requeue},
                {"warning", durationText(slurm.warning)}};
}

Json restartJson(const RestartSpec& restart)
{
    return Json{{"limit", restart.limit},
                {"backoff", durationText(restart.backoff)},
                {"after_reboot", restart.afterReboot},
                {"elastic", restart.elastic}};
}

} // namespace

void readLaunch(FieldReader& reader, LaunchSpec& launch, Diagnostics& diagnostics)
{
    reader.read("steps", launch.steps);
    reader.read("threads_per_rank", launch.threadsPerRank);
    reader.readEnum("device", launch.device);
    reader.readDuration("grace_period", launch.gracePeriod);
    reader.readEnum("launcher", launch.launcher);
    readSection(reader, "slurm", diagnostics, [&](FieldReader& slurm) { readSlurm(slurm, launch.slurm); });
    readSection(reader, "restart", diagnostics,
                [&](FieldReader& restart) { readRestart(restart, launch.restart); });
}

Json launchJson(const LaunchSpec& launch)
{
    return Json{{"steps", launch.steps},
                {"threads_per_rank", launch.threadsPerRank},
                {"device", nameOf(launch.device)},
                {"grace_period", durationText(launch.gracePeriod)},
                {"launcher", nameOf(launch.launcher)},
                {"slurm", slurmJson(launch.slurm)},
                {"restart", restartJson(launch.restart)}};
}

} // namespace trainyard
