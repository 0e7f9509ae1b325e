#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include <QJsonObject>
#include <QString>
#include <QStringList>

#include "engine/base/result.h"

namespace trainyard {

enum class RunKind {
    Train,
    Prepare,
    Probe ///< of hosts, for planning
};
/// "train", "prepare", "probe", as agents say it.
QString nameOf(RunKind kind);
/// Train for every other name.
RunKind runKindFrom(const QString& name);
/// "spec.json", "job.json", "probe.json": what the run does, here and on its hosts.
QString documentOf(RunKind kind);

/// Permissions of this computer for a run.
enum class RunAccess {
    Full,
    ReadOnly ///< it was attached to be looked at: no stop, resume or checkpoint from here
};

/// In place of a bundle's id: this machine's own executables.
inline const QString kInstalledPrograms = QStringLiteral("installed");

/// The local record of a run that was started or attached here: `<data>/runs/<id>/host.json`. The run itself
/// lives on its hosts; the record finds it again.
struct DeskRun {
    QString id;
    QString name;
    RunKind kind = RunKind::Train;
    QStringList hosts;         ///< of the newest attempt, in order of node; the first one is the head
    QStringList streamHosts{}; ///< host of stream node-<n> by n, of all attempts; empty = `hosts`
    QString bundle;            ///< bundle id, or kInstalledPrograms
    std::uint32_t attempt = 1;
    RunAccess access = RunAccess::Full;
    std::int64_t createdNs = 0; ///< wall clock

    QString head() const { return hosts.value(0); }
    /// Every host that has or had a part in the run, by the number of its stream.
    const QStringList& allHosts() const { return streamHosts.isEmpty() ? hosts : streamHosts; }
    /// The run continues on these hosts. A host keeps the number of its stream, and a new one gets the next.
    void moveTo(const QStringList& newHosts);
};

Status saveDeskRun(const DeskRun& run);
Result<DeskRun> loadDeskRun(const QString& id);
/// As loadDeskRun(), but Refused when the run was attached read-only.
Result<DeskRun> loadDeskRunToAct(const QString& id);
/// Returns all local runs, newest first; skips unreadable folders.
std::vector<DeskRun> deskRuns();
/// Their ids, in that order.
std::vector<std::string> deskRunIds();

/// Returns a new run id, `<utc time>-<name>-<4 random hex digits>`: ids sort by time and show the name.
QString makeRunId(const QString& name);

} // namespace trainyard
