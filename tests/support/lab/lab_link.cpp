#include "tests/support/lab/lab_link.h"

#include <csignal>

#include <QJsonDocument>

#include "tests/support/patience.h"

namespace trainyard::lab {

LabLink::~LabLink()
{
    m_tool.closeWriteChannel(); // that is how it ends
    if (m_tool.state() != QProcess::NotRunning && !m_tool.waitForFinished(kPatienceMs))
        m_tool.kill();
}

QString LabLink::start(const Options& options)
{
    m_tool.start(QStringLiteral(TRAINYARD_LINK_PROGRAM),
                 {"--interface", options.interface, "--host-pid", QString::number(options.hostPid), "--seed",
                  QString::number(options.seed)});
    if (ask({}) != "ready")
        return "the link tool does not start: " + m_tool.readAllStandardError();
    return {};
}

QString LabLink::set(const link::LinkConditions& toHost, const link::LinkConditions& fromHost)
{
    const QByteArray there = ask("set to-host " + QByteArray::fromStdString(toWords(toHost)) + '\n');
    const QByteArray back = ask("set from-host " + QByteArray::fromStdString(toWords(fromHost)) + '\n');
    if (there == "ok" && back == "ok")
        return {};
    return "the link tool answers: " + there + ", " + back;
}

QJsonObject LabLink::counters()
{
    return QJsonDocument::fromJson(ask("counters\n")).object();
}

QByteArray LabLink::ask(const QByteArray& line)
{
    m_tool.write(line);
    while (!m_tool.canReadLine()) {
        if (!m_tool.waitForReadyRead(kPatienceMs))
            return {};
    }
    return m_tool.readLine().trimmed();
}

} // namespace trainyard::lab
