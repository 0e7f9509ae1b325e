#pragma once

#include <optional>

#include <QJsonObject>
#include <QString>
#include <QStringList>

#include "app/runs/attempt_spec.h"
#include "app/runs/imported_run.h"
#include "app/runs/run_series.h"
#include "engine/base/result.h"
#include "engine/spec/run_spec.h"
#include "remote/launch/data_set_manifest.h"

namespace trainyard {

/// What a run's folder says about the run, apart from its journals.
struct RunFacts {
    QString id; ///< the folder's name
    QString folder;
    std::optional<RunSpec> spec;            ///< as launched; none for data jobs, or without spec.json
    std::optional<AttemptSpec> attempt;     ///< of the newest attempt known here; nothing = as launched
    QString specText;                       ///< spec.json as it was written
    QJsonObject inventory;                  ///< inventory.json: hosts as they were probed; may be empty
    std::optional<DataSetManifest> dataSet; ///< nothing when its manifest is not known here
    QStringList hosts;                      ///< in order of node
    bool readOnly = false;                  ///< this desk attached to it only to look
    std::optional<RunImport> import;        ///< of a run that another tool made

    /// The specification as the run is spread over its hosts now; null = none is known.
    const RunSpec* specNow() const { return attempt ? &attempt->spec : spec ? &*spec : nullptr; }
    /// Of specNow().
    std::uint32_t attemptNow() const { return attempt ? attempt->attempt : 1; }
    QString name() const; ///< the specification's, else that of the import, else taken from the id
};

/// A run read from its folder: a run directory on a node, the desk's mirror of one, or an import.
struct RecordedRun {
    RunFacts facts;
    RunSeries series;
};

/// BadInput when there is no such folder, when it holds neither specification nor journal, or when a
/// specification or journal in it is damaged; the message names the file.
Result<RunFacts> readRunFacts(const QString& folder);
/// What the newest attempt does, from the run's folder again.
Status readAttemptAgain(RunFacts& facts);
Result<RecordedRun> readRunFolder(const QString& folder);
/// The journals in `folder`/journal; torn tails are left out.
Result<RunSeries> readRunSeries(const QString& folder);
/// Drops the steps of a run's series and takes them from its folder again.
Status readStepsAgain(const QString& folder, RunSeries& series);

/// "20261121T091505Z-bert-tiny-3f2a" -> "bert-tiny"; an id of another form is returned as it is.
QString nameFromRunId(const QString& id);

} // namespace trainyard
