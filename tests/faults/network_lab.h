#pragma once

#include <memory>

#include "tests/support/lab/netns_lab.h"

namespace trainyard::support {

/// Two hosts with links that can be made bad (LabHost::setLink) and with the agent there.
class NetworkLab {
public:
    /// For initTestCase(), behind NetnsLab::whyNot(); checks as it goes.
    void start();
    void stop() { m_lab.reset(); }
    /// For cleanup(): good links, and no run is left. No effect when it was not started.
    void heal();

    lab::NetnsLab& hosts() { return *m_lab; }
    lab::LabHost& host(int index = 0) { return m_lab->host(index); }
    TargetOptions options() const { return m_lab->targetOptions(); }
    /// Silence is noticed in 3 s instead of 13.
    TargetOptions quickOptions() const;

private:
    std::unique_ptr<lab::NetnsLab> m_lab;
};

/// What the link tool of a host has done to frames, in both directions: "lost", "blocked", "corrupted", ...
qint64 framesThatWere(const QString& what, lab::LabHost& host);

/// "1.2 s".
QString seconds(qint64 ms);

} // namespace trainyard::support
