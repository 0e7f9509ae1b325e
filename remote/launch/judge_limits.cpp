#include "remote/launch/judge_limits.h"

#include <algorithm>
#include <optional>

#include <fmt/format.h>

#include "engine/base/units.h"
#include "engine/planner/layout/parameter_parts.h"
#include "engine/planner/memory/rank_states.h"

namespace trainyard {

namespace {

// Measured on ranks with LibTorch and OpenMPI: threads besides those that compute, and files besides those
// to other ranks.
constexpr qint64 kThreadsOfRank = 12;
constexpr qint64 kFilesOfRank = 64;
constexpr qint64 kFilesOfPeer = 2;
constexpr qint64 kThreadsOfLauncher = 16; ///< mpirun, its daemon, supervisor and agents
constexpr qint64 kFilesOfCheckpoint = 8;  ///< besides the shards
constexpr qint64 kBytesOfNumber = 4;      ///< weights and moments are kept in float32

/// What is left of a limit; nullopt = unlimited or unknown.
std::optional<qint64> left(const QJsonObject& facts, const char* limit, const char* used)
{
    const qint64 most = facts.value(QLatin1String(limit)).toInteger(-1);
    if (most < 0)
        return std::nullopt;
    return std::max<qint64>(0, most - (used ? facts.value(QLatin1String(used)).toInteger() : 0));
}

Error tooFew(const HostFacts& host, const char* what, qint64 left, const std::string& need, const char* fix)
{
    return refused(fmt::format("{}: {} {} are left, and {}", host.host.toStdString(), left, what, need), fix);
}

Status judgeHost(const RunFootprint& need, const HostFacts& host)
{
    const QJsonObject limits = host.raw.value("limits").toObject();
    // Ranks raise their soft limits by themselves (engine/worker/rank_limits.h). An older agent does not tell
    // the hard one.
    const char* ofUser = limits.contains("processes_hard") ? "processes_hard" : "processes";
    const std::string threads = fmt::format("{} ranks need about {}", need.ranks, need.threads);
    if (const auto processes = left(limits, ofUser, "processes_used"); processes && *processes < need.threads)
        return tooFew(host, "processes and threads of your user (ulimit -u)", *processes, threads,
                      "raise nproc in /etc/security/limits.conf, end other programs of yours there, or use "
                      "fewer ranks or launch.threads_per_rank");
    if (const auto tasks = left(limits, "tasks", "tasks_used"); tasks && *tasks < need.threads)
        return tooFew(
            host, "tasks of the session's control group", *tasks, threads,
            "raise TasksMax of the user's slice or the container's --pids-limit, or use fewer ranks "
            "or launch.threads_per_rank");
    if (const auto files = left(limits, "nofile_hard", nullptr); files && *files < need.filesOfRank)
        return tooFew(host, "open files (ulimit -n)", *files,
                      fmt::format("each rank needs about {}", need.filesOfRank),
                      "raise nofile in /etc/security/limits.conf");
    return {};
}

} // namespace

RunFootprint footprintOf(const RunSpec& spec, int ranks)
{
    RunFootprint need;
    const qint64 world = spec.layout.worldSize();
    need.ranks = ranks;
    need.threads = ranks * (kThreadsOfRank + spec.launch.threadsPerRank) + kThreadsOfLauncher;
    need.filesOfRank = kFilesOfRank + kFilesOfPeer * world;
    need.keptCheckpoints = spec.checkpoint.keepLast + 1;
    need.checkpointFiles = world + kFilesOfCheckpoint;
    if (!spec.model.lora.isOn())
        need.checkpointBytes = kBytesOfNumber * parameterCount(spec.model) *
                               (1 + static_cast<qint64>(stateNumbers(spec.optimizer)));
    return need;
}

Status judgeLimits(const RunSpec& spec, const std::vector<HostFacts>& hosts, const std::vector<int>& ranks)
{
    for (std::size_t i = 0; i < std::min(hosts.size(), ranks.size()); ++i)
        TRAINYARD_TRY_STATUS(judgeHost(footprintOf(spec, ranks[i]), hosts[i]));
    return {};
}

QStringList storageRemarks(const RunSpec& spec, const HostFacts& head)
{
    QStringList remarks;
    const RunFootprint need = footprintOf(spec, spec.layout.worldSize());
    const QJsonObject disk = head.raw.value("disk").toObject();
    const QJsonObject quota = disk.value("quota").toObject();
    const auto say = [&](const QString& left, const QString& needed) {
        remarks << QString(
                       "%1: %2 at %3, and %4: free some, lower checkpoint.keep_last, or set TRAINYARD_HOME "
                       "to a larger disk; a checkpoint that does not fit is skipped")
                       .arg(head.host, left, disk.value("path").toString(), needed);
    };
    const auto text = [](qint64 bytes) {
        return QString::fromStdString(formatBytes(static_cast<Bytes>(bytes)));
    };
    qint64 room = disk.value("free").toInteger();
    const auto ofQuota = left(quota, "limit", "used");
    if (ofQuota)
        room = std::min(room, *ofQuota);
    const qint64 bytes = need.checkpointBytes * need.keptCheckpoints;
    if (disk.contains("free") && bytes > room)
        say(QString("%1 left%2").arg(text(room), ofQuota && room == *ofQuota ? " of your quota" : ""),
            QString("%1 checkpoints of about %2 need %3")
                .arg(need.keptCheckpoints)
                .arg(text(need.checkpointBytes), text(bytes)));
    const qint64 files = need.checkpointFiles * need.keptCheckpoints;
    const bool countsInodes = disk.value("inodes_total").toInteger() > 0;
    const qint64 inodes = countsInodes ? disk.value("inodes_free").toInteger() : INT64_MAX;
    const auto ofInodes = left(quota, "inodes_limit", "inodes_used");
    const qint64 leftInodes = std::min(inodes, ofInodes.value_or(INT64_MAX));
    if (files > leftInodes)
        say(QString("%1 inodes left").arg(leftInodes),
            QString("%1 checkpoints need %2").arg(need.keptCheckpoints).arg(files));
    return remarks;
}

} // namespace trainyard
