#pragma once

#include <optional>
#include <string>

#include <sys/types.h>

#include "engine/base/lock_file.h"
#include "remote/agent/runs/run_folder.h"
#include "remote/agent/runs/run_work.h"
#include "remote/agent/supervise/launch_request.h"
#include "remote/agent/supervise/node_probe.h"

namespace trainyard::agent {

/// Finds out for a run with launch.wait_for_devices whether an attempt may begin: every node that gets ranks
/// checks whether nobody else uses the devices or cores that they need. Two waiting runs of one user do not
/// begin together: the first to be free holds a lock of the head's agent until release().
class DeviceWait {
public:
    explicit DeviceWait(const RunFolder& folder) : m_folder(folder) {}

    enum class Answer {
        Free,  ///< the attempt may begin
        InUse, ///< by others, or about to be
        None   ///< from at least one host
    };

    /// Asks all nodes that get ranks; then call hasAnswers() until it returns true, and then answer().
    /// `work`: of the attempt; `rsh`: remoteShell() of an attempt whose file of host keys is written.
    void ask(const LaunchRequest& request, const RunWork& work, const std::string& rsh);
    bool hasAnswers() { return m_isSecond || m_probe.isOver(); }
    Answer answer() const;
    /// Returns who uses the devices, or which hosts do not answer, in a sentence.
    std::string reason() const;
    /// The ranks work or show what they take, or do not any more: another run may begin. With ranks on other
    /// hosts not before the first one reports: which devices the guards there have chosen, this host does not
    /// know, but MPI lets no rank begin before all have started, and then every host shows what is used.
    void release() { m_turn.reset(); }

    /// A child of the supervisor ended.
    void childEnded(pid_t child, int waitStatus) { m_probe.childEnded(child, waitStatus); }

private:
    RunFolder m_folder;
    NodeProbe m_probe;
    std::optional<LockFile> m_turn;
    bool m_isSecond = false; ///< another run is about to begin
};

} // namespace trainyard::agent
