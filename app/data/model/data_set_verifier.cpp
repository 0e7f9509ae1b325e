#include "app/data/model/data_set_verifier.h"

#include "app/base/this_machine.h"

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
            said.isEmpty() ? "the verifier exited without a result"
                           : (said.startsWith(prefix) ? said.mid(prefix.size()) : said).toStdString(),
            {}};
}

Result<VerifyReport> reportOf(const Result<VerifyAnswer>& answer)
{
    if (!answer.ok())
        return answer.error();
    if (answer->report.isEmpty())
        return answer->error.value_or(failed("the verifier exited without a result"));
    return parseVerifyReport(answer->report.toStdString());
}

} // namespace

DataSetVerifier::DataSetVerifier(RunService& runs, QObject* parent) : QObject(parent), m_runs(runs) {}

DataSetVerifier::~DataSetVerifier()
{
    cancel();
}

void DataSetVerifier::verify(const QString& host, const QString& folder, int samples)
{
    cancel();
    const QStringList arguments{folder, QStringLiteral("--sample"), QString::number(samples),
                                QStringLiteral("--json")};
    if (host == thisMachine())
        verifyLocally(folder, arguments);
    else
        verifyOnHost(host, folder, arguments);
}

/// Rows of this machine need no job: the program answers by itself.
void DataSetVerifier::verifyLocally(const QString& folder, const QStringList& arguments)
{
    m_process = new QProcess(this);
    connect(m_process, &QProcess::finished, this, [this, folder] { onProcessFinished(folder); });
    connect(m_process, &QProcess::errorOccurred, this, [this, folder](QProcess::ProcessError error) {
        if (error != QProcess::FailedToStart)
            return; // finished() tells
        m_process->deleteLater();
        m_process.clear();
        emit finished(thisMachine(), folder,
                      refused("trainyard-prepare could not be started",
                              "build the node half, or set TRAINYARD_BIN to its folder"));
    });
    m_process->start(nodeProgram(QStringLiteral("trainyard-prepare")),
                     QStringList{QStringLiteral("verify")} + arguments);
}

void DataSetVerifier::verifyOnHost(const QString& host, const QString& folder, const QStringList& arguments)
{
    m_job = new HostVerification(m_runs, host, arguments, &m_runs);
    connect(m_job, &HostVerification::progress, this, &DataSetVerifier::progress);
    connect(m_job, &HostVerification::finished, this,
            [this, host, folder](const Result<VerifyAnswer>& answer) {
                std::exchange(m_job, nullptr)->deleteLater(); // we are in its signal
                emit finished(host, folder, reportOf(answer));
            });
    m_job->start();
}

void DataSetVerifier::cancel()
{
    if (m_job)
        std::exchange(m_job, nullptr)->abandon();
    if (!m_process)
        return;
    m_process->disconnect(this);
    m_process->kill();
    m_process->waitForFinished(1000); // killed: returns at once, and no process outlives its owner
    delete m_process;
}

void DataSetVerifier::onProcessFinished(const QString& folder)
{
    QProcess& process = *m_process;
    const std::string answer = process.readAllStandardOutput().toStdString();
    const auto report = answer.empty() ? Result<VerifyReport>(errorOf(process)) : parseVerifyReport(answer);
    m_process->deleteLater();
    m_process.clear();
    emit finished(thisMachine(), folder, report);
}

} // namespace trainyard
