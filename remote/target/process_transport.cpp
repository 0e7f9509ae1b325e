#include "remote/target/process_transport.h"

#include <QProcessEnvironment>

#include "remote/target/programs.h"
#include "remote/wire/greeting.h"

namespace trainyard {

namespace {

constexpr int kShownErrors = 2000; // bytes of the agent's stderr that are kept for a message
constexpr int kGoodbyeMs = 200;    // for the agent to end after its stdin closed

} // namespace

ProcessTransport::ProcessTransport(const TargetOptions& options, QObject* parent)
    : Transport(parent)
    , m_options(options)
    , m_nonce(makeNonce())
    , m_scanner(m_nonce)
    , m_process(std::make_unique<QProcess>())
{
    m_greetingTimer.setSingleShot(true);
    connect(&m_greetingTimer, &QTimer::timeout, this,
            [this] { fail(unreachable("the agent does not answer")); });
    connect(m_process.get(), &QProcess::readyReadStandardOutput, this, &ProcessTransport::onOutput);
    connect(m_process.get(), &QProcess::readyReadStandardError, this, &ProcessTransport::onErrors);
    connect(m_process.get(), &QProcess::errorOccurred, this, [this](QProcess::ProcessError error) {
        if (error == QProcess::FailedToStart)
            fail(refused("the agent cannot be started: " + m_process->errorString().toStdString(),
                         "set TRAINYARD_BIN to the folder of trainyard-agent"));
    });
    connect(m_process.get(), &QProcess::finished, this, [this] {
        onErrors();
        const QByteArray words = m_errors.trimmed();
        fail(unreachable("the agent ended" + (words.isEmpty() ? std::string() : ": " + words.toStdString())));
    });
}

ProcessTransport::~ProcessTransport()
{
    m_process->disconnect(this);
    if (m_process->state() == QProcess::NotRunning)
        return;
    m_process->closeWriteChannel();
    for (const auto channel : {QProcess::StandardOutput, QProcess::StandardError})
        m_process->closeReadChannel(channel); // what never ends would fill our memory while we wait
    // The agent brings orders that it began to their end, so it is not killed: it outlives us if it must.
    if (!m_process->waitForFinished(kGoodbyeMs)) {
        QProcess* rest = m_process.release();
        connect(rest, &QProcess::finished, rest, &QObject::deleteLater);
    }
}

void ProcessTransport::start()
{
    QString path = m_options.agentPath;
    if (path.isEmpty()) {
        const auto found = findProgram("trainyard-agent");
        if (!found.ok()) {
            const Error error = found.error();
            QMetaObject::invokeMethod(
                this, [this, error] { fail(error); }, Qt::QueuedConnection);
            return;
        }
        path = *found;
    }
    auto environment = QProcessEnvironment::systemEnvironment();
    if (!m_options.agentRoot.isEmpty())
        environment.insert("TRAINYARD_HOME", m_options.agentRoot);
    m_process->setProcessEnvironment(environment);
    QStringList arguments{"serve", "--local"};
    if (m_options.readOnly)
        arguments << "--read-only";
    m_process->start(path, arguments);
    m_process->write(QByteArray::fromStdString(m_nonce + '\n'));
    m_greetingTimer.start(m_options.connectTimeout);
}

void ProcessTransport::onOutput()
{
    const QByteArray bytes = m_process->readAllStandardOutput();
    if (m_open) {
        emit received(bytes);
        return;
    }
    const auto found = m_scanner.feed({bytes.constData(), static_cast<std::size_t>(bytes.size())});
    if (!found.ok())
        return fail(found.error());
    if (!*found)
        return;
    m_open = true;
    m_greetingTimer.stop();
    emit opened();
    if (!m_scanner.rest().empty())
        emit received(QByteArray::fromStdString(m_scanner.rest()));
}

void ProcessTransport::onErrors()
{
    m_errors = (m_errors + m_process->readAllStandardError()).right(kShownErrors);
}

void ProcessTransport::sendControl(const QByteArray& frame)
{
    m_process->write(frame);
}

void ProcessTransport::sendBulk(const QByteArray& frame)
{
    m_process->write(frame);
}

void ProcessTransport::fail(Error error)
{
    if (m_failed)
        return;
    m_failed = true;
    m_greetingTimer.stop();
    emit failed(error);
}

} // namespace trainyard
