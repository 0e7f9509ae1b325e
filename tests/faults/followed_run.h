#pragma once

#include <memory>

#include <QSignalSpy>
#include <QString>
#include <QTemporaryDir>

#include "remote/target/target_pool.h"
#include "tests/support/journal/fed_run.h"
#include "tests/support/lab/lab_host.h"

namespace trainyard::support {

/// A run on one host of a lab whose journal grows, and a desk that follows it. Its functions check as they
/// go: MUST of patience.h where that matters.
class FollowedRun {
public:
    /// Opens the link at once. `name` = the host as the desk calls it.
    FollowedRun(lab::LabHost& host, const TargetOptions& options, const QString& name);

    Target& target() { return m_pool.target(m_name); }
    RecordLedger& ledger() { return *m_ledger; }
    LinkState link() const { return m_follower->linkState(); }
    quint64 seen() const { return m_ledger->count("steps"); }
    quint64 written() const { return quint64(m_run->written()); }
    int lostCount() const;

    /// Makes the run and follows it; over when the first records are here.
    void start();
    void awaitNewRecords();
    /// I1: every record of the host is here, once, and the mirror is the journal byte for byte.
    void finish();

private:
    QString runFolder() const { return m_host.path("/root/.trainyard/runs/" + m_id); }

    lab::LabHost& m_host;
    TargetPool m_pool;
    QString m_name;
    QString m_id;
    QTemporaryDir m_dir;
    std::unique_ptr<FedRun> m_run;
    std::unique_ptr<RunFollower> m_follower;
    std::unique_ptr<RecordLedger> m_ledger;
    QSignalSpy m_states{&target(), &Target::stateChanged};
};

} // namespace trainyard::support
