#include "app/models/data_set_verifier.h"

#include "app/models/node_program.h"

namespace trainyard {

namespace {

/// What the program said on stderr, without its own name in front.
Error errorOf(QProcess& process)
{
    const QString said =
        QString::fromUtf8(process.readAllStandardError()).trimmed().section(QLatin1Char('\n'), -1);
    const QString prefix = QStringLiteral("trainyard-prepare: ");
    const auto kind = errorKindFromExitStatus(process.exitCode());
    return {kind.value_or(ErrorKind::Failed),
            said.isEmpty() ? "the verifier ended without an answer"
                           : (said.startsWith(prefix) ? said.mid(prefix.size()) : said).toStdString(),
            {}};
}

} // namespace

DataSetVerifier::~DataSetVerifier()
{
    cancel();
}

void DataSetVerifier::verify(const QString& folder, int samples)
{
    cancel();
    m_process = new QProcess(this);
    connect(m_process, &QProcess::finished, this, [this, folder] { onFinished(folder); });
    connect(m_process, &QProcess::errorOccurred, this, [this, folder](QProcess::ProcessError error) {
        if (error != QProcess::FailedToStart)
            return; // finished() tells
        m_process->deleteLater();
        m_process.clear();
        emit finished(folder, refused("trainyard-prepare could not be started",
                                      "build the node half, or set TRAINYARD_BIN to its folder"));
    });
    m_process->start(nodeProgram(QStringLiteral("trainyard-prepare")),
                     {QStringLiteral("verify"), folder, QStringLiteral("--sample"), QString::number(samples),
                      QStringLiteral("--json")});
}

void DataSetVerifier::cancel()
{
    if (!m_process)
        return;
    m_process->disconnect(this);
    m_process->kill();
    m_process->waitForFinished(1000); // killed: returns at once, and no process outlives its owner
    delete m_process;
}

void DataSetVerifier::onFinished(const QString& folder)
{
    QProcess& process = *m_process;
    const std::string answer = process.readAllStandardOutput().toStdString();
    const auto report = answer.empty() ? Result<VerifyReport>(errorOf(process)) : parseVerifyReport(answer);
    m_process->deleteLater();
    m_process.clear();
    emit finished(folder, report);
}

} // namespace trainyard
