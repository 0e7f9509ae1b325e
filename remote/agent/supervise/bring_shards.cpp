#include "remote/agent/supervise/bring_shards.h"

#include <cerrno>
#include <fcntl.h>
#include <iterator>
#include <optional>
#include <sstream>
#include <sys/wait.h>

#include <fmt/format.h>

#include "engine/base/file.h"
#include "engine/base/process.h"
#include "engine/checkpoint/format/checkpoint_folder.h"
#include "engine/checkpoint/format/manifest.h"
#include "engine/checkpoint/format/shard_header.h"
#include "engine/records/fence.h"
#include "remote/agent/host/ssh_command.h"
#include "remote/agent/runs/run_folder.h"
#include "remote/agent/supervise/elastic_world.h"
#include "remote/agent/supervise/job_command.h"
#include "remote/agent/supervise/launch_request.h"

namespace trainyard::agent {

namespace fs = std::filesystem;

namespace {

/// One word for the shell of another host.
std::string quoted(const std::string& word)
{
    std::string text = "'";
    for (const char c : word)
        text += c == '\'' ? std::string("'\\''") : std::string(1, c);
    return text + "'";
}

Status checkShard(const CheckpointManifest& manifest, const std::string& shard, const fs::path& file)
{
    std::vector<SliceInFile> slices;
    for (const LogicalTensor& tensor : manifest.tensors) {
        for (const TensorSlice& slice : tensor.slices) {
            if (slice.file == shard)
                slices.push_back({&tensor, &slice});
        }
    }
    TRAINYARD_TRY(const StoredFile stored, StoredFile::open(file));
    return checkShardHeader(stored, slices);
}

/// The hosts of a run, as its head reaches them.
class RunHosts {
public:
    static Result<RunHosts> of(const RunFolder& folder)
    {
        RunHosts hosts;
        const std::uint32_t attempt = newestAttempt(folder.path());
        TRAINYARD_TRY(const std::string text, readFile(folder.launchFile(attempt)));
        TRAINYARD_TRY(const LaunchRequest request, parseLaunchRequest(text));
        if (!request.knownHosts.empty() && request.rsh.empty())
            TRAINYARD_TRY_STATUS(writeKnownHosts(knownHostsPath(folder, attempt), request.knownHosts));
        std::istringstream words(remoteShell(folder, request));
        hosts.m_shell = {std::istream_iterator<std::string>(words), {}};
        hosts.m_names = otherHosts(request);
        return hosts;
    }

    const std::vector<std::string>& names() const { return m_names; }

    /// The file of this path on the host. False when it could not be read there.
    Result<bool> copy(const std::string& host, const fs::path& path, const fs::path& to) const
    {
        const FileDescriptor file(::open(to.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644));
        if (!file.valid())
            return systemError(ErrorKind::Failed, "cannot write " + to.string(), errno);
        std::vector<std::string> words = m_shell;
        words.insert(words.end(), {host, "cat", quoted(path.string())});
        // ssh runs with the system's libraries, not with those of the program that asks for shards.
        TRAINYARD_TRY(const pid_t child, startProcess({.arguments = std::move(words),
                                                       .environment = environmentWithout("LD_LIBRARY_PATH"),
                                                       .folder = {},
                                                       .output = file.get(),
                                                       .endsWithParent = true,
                                                       .errors = -1}));
        int status = 0;
        while (::waitpid(child, &status, 0) < 0 && errno == EINTR) {
        }
        return shellStatus(status) == 0;
    }

private:
    std::vector<std::string> m_shell;
    std::vector<std::string> m_names;
};

Status bringShard(const RunHosts& hosts, const CheckpointManifest& manifest, const std::string& shard,
                  const fs::path& checkpoint)
{
    for (const std::string& host : hosts.names()) {
        bool copied = false;
        const Status brought = publishAtomically(checkpoint / shard, [&](const fs::path& temporary) -> Status {
            TRAINYARD_TRY(copied, hosts.copy(host, checkpoint / shard, temporary));
            return copied ? checkShard(manifest, shard, temporary) : badInput("not there");
        });
        if (brought.ok())
            return {};
        if (brought.error().kind != ErrorKind::BadInput)
            return brought;
    }
    return unreachable(fmt::format("{} is not on this host: it was written on {}, and no other host of the run "
                                   "gives it",
                                   (checkpoint / shard).string(), manifest.hostsOf(shard)),
                       "start one of these hosts, or choose another checkpoint (--step)");
}

} // namespace

Status bringShards(const fs::path& checkpoint)
{
    TRAINYARD_TRY(const CheckpointManifest manifest, CheckpointManifest::load(checkpoint / kManifestName));
    std::optional<RunHosts> hosts;
    for (const std::string& shard : manifest.shards()) {
        if (!manifest.isElsewhere(checkpoint, shard))
            continue;
        if (!hosts) {
            TRAINYARD_TRY(hosts, RunHosts::of(RunFolder(checkpoint.parent_path().parent_path())));
        }
        TRAINYARD_TRY_STATUS(bringShard(*hosts, manifest, shard, checkpoint));
    }
    return {};
}

} // namespace trainyard::agent
