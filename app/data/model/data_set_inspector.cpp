#include "app/data/model/data_set_inspector.h"

#include "app/base/this_machine.h"
#include "engine/base/file.h"
#include "remote/launch/run_service.h"

namespace trainyard {

void readManifestOf(RunService& runs, const QString& host, const QString& folder, const QObject* context,
                    std::function<void(const Result<QByteArray>&)> done)
{
    if (host != thisMachine())
        return runs.readManifest(host, folder, context, std::move(done));
    const auto text = readFile((folder + QStringLiteral("/manifest.json")).toStdString());
    done(text.ok() ? Result<QByteArray>(QByteArray::fromStdString(*text)) : Result<QByteArray>(text.error()));
}

DataSetInspector::DataSetInspector(RunService& runs, QObject* parent)
    : QObject(parent), m_runs(runs), m_verifier(runs)
{
    connect(&m_verifier, &DataSetVerifier::progress, this, &DataSetInspector::progress);
    connect(&m_verifier, &DataSetVerifier::finished, this,
            [this](const QString&, const QString&, const Result<VerifyReport>& report) {
                m_findings.rows = report;
                finish();
            });
}

void DataSetInspector::inspect(const QString& host, const QString& folder, Depth depth, int samples)
{
    cancel();
    m_findings = {host, folder, {}};
    m_depth = depth;
    m_samples = samples;
    readManifestOf(m_runs, host, folder, this,
                   [this, request = m_request](const Result<QByteArray>& manifest) {
                       if (request == m_request)
                           onManifest(manifest);
                   });
}

void DataSetInspector::cancel()
{
    ++m_request;
    m_verifier.cancel();
}

void DataSetInspector::onManifest(const Result<QByteArray>& manifest)
{
    if (!manifest.ok()) {
        emit finished(manifest.error());
        return;
    }
    const auto details = readDataSetDetails(*manifest);
    if (!details.ok()) {
        emit finished(details.error().in(m_findings.folder.toStdString() + "/manifest.json"));
        return;
    }
    m_findings.details = *details;
    if (m_depth == Depth::Rows)
        m_verifier.verify(m_findings.host, m_findings.folder, m_samples);
    else
        finish();
}

void DataSetInspector::finish()
{
    emit finished(m_findings);
}

} // namespace trainyard
