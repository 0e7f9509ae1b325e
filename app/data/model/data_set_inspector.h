#pragma once

#include <functional>
#include <optional>

#include "app/data/model/data_set_details.h"
#include "app/data/model/data_set_verifier.h"

namespace trainyard {

/// The manifest of a data set and the result of verifying its rows.
struct DataSetFindings {
    QString host;
    QString folder; ///< a path on that host
    DataSetDetails details;
    std::optional<Result<VerifyReport>> rows{}; ///< nullopt: only the manifest was read
};

/// Calls `done` with the manifest of a data set: before it returns for this machine, later for another host,
/// unless `context` is gone by then.
void readManifestOf(RunService& runs, const QString& host, const QString& folder, const QObject* context,
                    std::function<void(const Result<QByteArray>&)> done);

/// Reads the manifest of a data set, then verifies its rows on their host. One data set at a time; a newer
/// request cancels the older one and drops its result. GUI thread.
class DataSetInspector : public QObject {
    Q_OBJECT
public:
    enum class Depth { Manifest, Rows };

    explicit DataSetInspector(RunService& runs, QObject* parent = nullptr);

    /// `samples`: number of rows to decode, if rows are read.
    void inspect(const QString& host, const QString& folder, Depth depth, int samples);
    /// Cancels the current request without emitting anything.
    void cancel();

signals:
    /// Progress of a verification on another host; 0..1, negative = unknown.
    void progress(const QString& text, double fraction);
    /// Emitted once per inspect(), possibly before it returns. An error if the manifest is missing or
    /// unreadable; failed row verification is part of the result.
    void finished(const trainyard::Result<trainyard::DataSetFindings>& result);

private:
    void onManifest(const Result<QByteArray>& manifest);
    void finish();

    RunService& m_runs;
    DataSetVerifier m_verifier;
    DataSetFindings m_findings;
    Depth m_depth = Depth::Rows;
    int m_samples = 0;
    quint64 m_request = 0; ///< results of older requests are dropped
};

} // namespace trainyard
