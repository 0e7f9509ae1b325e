#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <vector>

#include <sys/types.h>

#include "engine/base/file.h"

namespace trainyard::agent {

/// Asks nodes whether they can run ranks, over mpirun's own route, all at once and in the background. The
/// supervisor reaps the children and passes on how they ended.
class NodeProbe {
public:
    /// `hosts` as the head reaches them; `rsh` and `command` from remoteShell() and nodeCheckCommand().
    void start(const std::vector<std::string>& hosts, const std::string& rsh,
               const std::vector<std::string>& command);
    void childEnded(pid_t child, int waitStatus);
    /// Returns true when every host has answered or exceeded its time; ends the probes that are left then.
    bool isOver();
    bool isUnderWay() const { return m_underWay; }

    /// Hosts that can run ranks, and hosts that cannot or do not respond.
    std::vector<std::string> able() const { return hostsThatAre(true); }
    std::vector<std::string> unable() const { return hostsThatAre(false); }
    /// Returns why hosts are unable: "no answer from b; c cannot run ranks: there is no program ...".
    std::string troubles() const;

private:
    struct Question {
        std::string host;
        pid_t child = 0; ///< 0 = ended, or could not be started
        FileDescriptor words{};
        std::optional<int> status{}; ///< exit status; nothing = no answer
        std::string said{};          ///< the last of what came out of the pipe
    };
    static Question ask(const std::string& host, std::vector<std::string> words,
                        const std::vector<std::string>& command);
    static void listen(Question& question);
    static std::string trouble(const Question& question);
    std::vector<std::string> hostsThatAre(bool able) const;

    std::vector<Question> m_questions;
    std::chrono::steady_clock::time_point m_deadline;
    bool m_underWay = false;
};

/// Returns the last line of a probed node's output, without the agent's name in front of it.
std::string lastWords(const std::string& text);

} // namespace trainyard::agent
