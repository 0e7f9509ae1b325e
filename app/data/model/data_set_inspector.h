#pragma once

#include <optional>

#include "app/data/model/data_set_details.h"
#include "app/data/model/data_set_verifier.h"

namespace trainyard {

/// What there is to know of a data set: its manifest, and what a check of its rows found.
struct DataSetFindings {
    QString host;
    QString folder; ///< as that host sees it
    DataSetDetails details;
    std::optional<Result<VerifyReport>> rows{}; ///< nothing: only the manifest was read
};

/// Reads the manifest of a data set, then has its rows checked where they lie. One data set at a time; a
/// newer request ends the older one, whose answer is dropped. GUI thread.
class DataSetInspector : public QObject {
    Q_OBJECT
public:
    enum class Depth { Manifest, Rows };

    explicit DataSetInspector(RunService& runs, QObject* parent = nullptr);

    /// `samples`: rows to decode, where rows are read.
    void inspect(const QString& host, const QString& folder, Depth depth, int samples);
    /// Ends what is under way; nothing is emitted for it.
    void cancel();

signals:
    /// Of a check on another host: what is done; 0..1, negative = unknown.
    void progress(const QString& text, double fraction);
    /// Once for each inspect(), of which it may come before that returns. An error when there is no manifest,
    /// or when it cannot be read; rows that could not be checked are a finding.
    void finished(const trainyard::Result<trainyard::DataSetFindings>& result);

private:
    void onManifest(const Result<QByteArray>& manifest);
    void finish();

    RunService& m_runs;
    DataSetVerifier m_verifier;
    DataSetFindings m_findings;
    Depth m_depth = Depth::Rows;
    int m_samples = 0;
    quint64 m_request = 0; ///< answers to older ones are dropped
};

} // namespace trainyard
