#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include <QJsonObject>
#include <QString>
#include <QStringList>

#include "app/runs/imported_run.h"
#include "app/runs/run_series.h"
#include "engine/base/result.h"
#include "engine/spec/run_spec.h"
#include "remote/launch/data_set_manifest.h"

namespace trainyard {

/// A run's specification as a later attempt spreads it over its hosts: in the layout with which it was
/// resumed, with fewer replicas while hosts are away. Those hosts stay in the cluster, with no slots.
struct AttemptSpec {
    std::uint32_t attempt = 2;
    RunSpec spec;
};

/// Facts about a run from its folder, without its journals.
struct RunFacts {
    QString id; ///< the folder's name
    QString folder;
    std::optional<RunSpec> spec;            ///< as launched; nullopt for data jobs, or without spec.json
    std::optional<AttemptSpec> attempt;     ///< newest attempt known here; nullopt = as launched
    QString specText;                       ///< spec.json as it was written
    QJsonObject inventory;                  ///< inventory.json: hosts as probed; may be empty
    std::optional<DataSetManifest> dataSet; ///< nullopt when its manifest is not known here
    std::vector<std::optional<DataSetManifest>> laterDataSets; ///< those of the phases after the first
    QStringList hosts;                                         ///< of the newest attempt, by node
    QStringList streamHosts{};       ///< by the number of their stream, also those that left; empty = `hosts`
    bool readOnly = false;           ///< attached read-only
    std::optional<RunImport> import; ///< for a run of another program

    /// A part of the steps of a run of several phases.
    struct PhaseOfRun {
        QString title; ///< "Phase 2 of 2: wiki-512"
        std::int64_t firstStep = 1;
        std::int64_t lastStep = 1;
    };
    std::optional<PhaseOfRun> phase; ///< that these facts are limited to: factsOfPhase()

    /// Returns the specification of the current layout; null = unknown.
    const RunSpec* specNow() const { return attempt ? &attempt->spec : spec ? &*spec : nullptr; }
    /// Returns the attempt of specNow().
    std::uint32_t attemptNow() const { return attempt ? attempt->attempt : 1; }
    /// Every host that has or had a part in the run: stream node-<n> is that of number n.
    const QStringList& allHosts() const { return streamHosts.isEmpty() ? hosts : streamHosts; }
    QString name() const; ///< of the specification, the import, or the id
};

/// A run read from its folder: a run directory on a node, a local mirror of one, or an import.
struct RecordedRun {
    RunFacts facts;
    RunSeries series;
};

/// Reads the facts. BadInput when there is no such folder, when it has neither specification nor journal, or
/// when one of them is damaged; the message names the file.
Result<RunFacts> readRunFacts(const QString& folder);
/// Reads the newest attempt and its hosts from the run's folder again.
Status readAttemptAgain(RunFacts& facts);
Result<RecordedRun> readRunFolder(const QString& folder);
/// Reads the journals in `folder`/journal, without torn tails.
Result<RunSeries> readRunSeries(const QString& folder);
/// Replaces the steps of a run's series by those of its folder.
Status readStepsAgain(const QString& folder, RunSeries& series);

/// Returns the name in a run id: "20261121T091505Z-bert-tiny-3f2a" -> "bert-tiny"; other text is returned
/// unchanged.
QString nameFromRunId(const QString& id);

} // namespace trainyard
