#pragma once

#include <chrono>
#include <string>
#include <vector>

#include <sys/types.h>

#include "remote/agent/supervise/launch_request.h"

namespace trainyard::agent {

/// Tries to log in to nodes as mpirun would, all at once and in the background. The supervisor reaps the
/// children and tells it how they ended.
class NodeProbe {
public:
    /// `hosts` as the head reaches them.
    void start(const std::vector<std::string>& hosts, const std::string& rsh);
    void childEnded(pid_t child, int waitStatus);
    /// True when every host has answered, or had its time; what is still under way then is ended.
    bool isOver();
    bool isUnderWay() const { return m_underWay; }

    std::vector<std::string> answered() const;
    std::vector<std::string> silent() const;

private:
    struct Attempt {
        std::string host;
        pid_t child = 0; ///< 0 = ended, or could not be started
        bool answered = false;
    };
    std::vector<std::string> hostsThat(bool answered) const;

    std::vector<Attempt> m_attempts;
    std::chrono::steady_clock::time_point m_deadline;
    bool m_underWay = false;
};

} // namespace trainyard::agent
