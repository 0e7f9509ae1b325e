#include "remote/agent/supervise/node_check.h"

#include <unistd.h>

#include "engine/base/file.h"
#include "engine/base/process.h"
#include "remote/agent/host/machine.h"

namespace trainyard::agent {

namespace {

constexpr std::chrono::seconds kDaemonPatience{10};

Status checkFolder(const RunFolder& folder)
{
    if (!folder.exists())
        return refused("the run's folder " + folder.path().string() + " does not exist");
    const auto trial = folder.ranks() / (".check-" + std::to_string(::getpid()));
    if (const Status written = writeFileAtomically(trial, {}); !written.ok())
        return written;
    std::error_code ignored;
    std::filesystem::remove(trial, ignored);
    return {};
}

/// `--help` loads all of the daemon's libraries and does nothing else; it exits with an error even on
/// success.
Status checkDaemon(bool ownMpi)
{
    if (!ownMpi && programInPath("orted").empty())
        return refused("orted is not in PATH on " + hostName(), "install OpenMPI 4");
    std::vector<std::string> command{"orted", "--help"};
    if (ownMpi)
        command.insert(command.begin(), {ownProgram(), "exec"});
    TRAINYARD_TRY(const CommandOutput started, runCommand(command, kDaemonPatience));
    if (started.text.find("Usage: orted") == std::string::npos)
        return refused("orted does not start on " + hostName() + ": " +
                       started.text.substr(0, started.text.find('\n')));
    return {};
}

} // namespace

Status checkNode(const RunFolder& folder, const std::filesystem::path& program, bool ownMpi)
{
    if (::access(program.c_str(), X_OK) != 0)
        return refused("there is no program " + program.string(), "deploy the bundle again");
    TRAINYARD_TRY_STATUS(checkFolder(folder));
    return checkDaemon(ownMpi);
}

} // namespace trainyard::agent
