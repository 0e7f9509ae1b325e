#include "remote/agent/supervise/bring_shards.h"

#include <optional>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "engine/base/file.h"
#include "engine/base/lock_file.h"
#include "engine/checkpoint/format/checkpoint_folder.h"
#include "engine/checkpoint/format/manifest.h"
#include "engine/checkpoint/format/shard_header.h"
#include "engine/records/fence.h"
#include "remote/agent/host/remote_copy.h"
#include "remote/agent/host/shell_words.h"
#include "remote/agent/host/ssh_command.h"
#include "remote/agent/runs/run_folder.h"
#include "remote/agent/supervise/elastic_world.h"
#include "remote/agent/supervise/job_command.h"
#include "remote/agent/supervise/launch_request.h"

namespace trainyard::agent {

namespace fs = std::filesystem;

namespace {

constexpr std::string_view kInterruptedCopy = ".shard-"; ///< how the names of unfinished copies begin

/// The hosts of a run, as its head reaches them.
struct RunHosts {
    std::vector<std::string> shell;
    std::vector<std::string> names;

    static Result<RunHosts> of(const RunFolder& folder)
    {
        const std::uint32_t attempt = newestAttempt(folder.path());
        TRAINYARD_TRY(const std::string text, readFile(folder.launchFile(attempt)));
        TRAINYARD_TRY(const LaunchRequest request, parseLaunchRequest(text));
        if (!request.knownHosts.empty() && request.rsh.empty())
            TRAINYARD_TRY_STATUS(writeKnownHosts(knownHostsPath(folder, attempt), request.knownHosts));
        return RunHosts{wordsOf(remoteShell(folder, request)), otherHosts(request)};
    }
};

bool isWhole(const fs::path& file, const std::vector<SliceInFile>& slices)
{
    const auto stored = StoredFile::open(file);
    return stored.ok() && checkShardHeader(*stored, slices).ok();
}

/// Every byte: once it has its name nobody would look for a better one.
Status checkCopy(const fs::path& file, const std::vector<SliceInFile>& slices)
{
    TRAINYARD_TRY(const StoredFile stored, StoredFile::open(file));
    TRAINYARD_TRY_STATUS(checkShardHeader(stored, slices));
    return verifyShard(stored, slices, [] { return true; });
}

Status bringShard(const RunHosts& hosts, const fs::path& shard, const std::vector<SliceInFile>& slices,
                  std::chrono::milliseconds patience)
{
    std::string reasons;
    for (const std::string& host : hosts.names) {
        const Status brought = publishAtomically(shard, [&](const fs::path& temporary) -> Status {
            TRAINYARD_TRY_STATUS(copyFrom({hosts.shell, host, shard}, temporary, patience));
            const Status whole = checkCopy(temporary, slices);
            return whole.ok() ? whole : whole.error().in("its copy is damaged");
        });
        if (brought.ok() || brought.error().kind != ErrorKind::BadInput)
            return brought;
        reasons += fmt::format("{}{}: {}", reasons.empty() ? "" : "; ", host, brought.error().message);
    }
    return badInput(reasons.empty() ? "the run has no other host" : reasons);
}

/// Of copies that were killed. Only while no other process copies.
void removeInterruptedCopies(const fs::path& checkpoint)
{
    std::error_code ignored;
    std::vector<fs::path> left;
    for (const auto& entry : fs::directory_iterator(checkpoint, ignored)) {
        if (entry.path().filename().string().starts_with(kInterruptedCopy))
            left.push_back(entry.path());
    }
    for (const fs::path& file : left)
        fs::remove(file, ignored);
}

} // namespace

Status bringShards(const fs::path& checkpoint, std::chrono::milliseconds patience)
{
    TRAINYARD_TRY(const CheckpointManifest manifest, CheckpointManifest::load(checkpoint / kManifestName));
    const RunFolder run(checkpoint.parent_path().parent_path());
    const auto lock = LockFile::tryAcquire(run.path() / "bring-shards.lock");
    if (lock.ok() && *lock)
        removeInterruptedCopies(checkpoint);
    std::optional<RunHosts> hosts;
    for (const auto& [shard, slices] : slicesByFile(manifest)) {
        if (!manifest.hasOtherPlace(checkpoint, shard) || isWhole(checkpoint / shard, slices))
            continue;
        if (!hosts) {
            TRAINYARD_TRY(hosts, RunHosts::of(run));
        }
        const Status brought = bringShard(*hosts, checkpoint / shard, slices, patience);
        if (!brought.ok() && brought.error().kind == ErrorKind::BadInput)
            return unreachable(
                fmt::format(
                    "{} is missing or damaged on this host; it was written on {}, and no other host of "
                    "the run gives it: {}",
                    (checkpoint / shard).string(), manifest.hostsOf(shard), brought.error().message),
                "start one of these hosts, or choose another checkpoint (--step)");
        TRAINYARD_TRY_STATUS(brought);
    }
    return {};
}

} // namespace trainyard::agent
