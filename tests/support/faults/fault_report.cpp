#include "tests/support/faults/fault_report.h"

#include <QDir>
#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>
#include <QRegularExpression>
#include <QSaveFile>
#include <QTest>

namespace trainyard {

FaultReport::FaultReport(int number, const QString& fault, const QString& expected)
    : m_number(number), m_fault(fault), m_expected(expected)
{
    m_time.start();
}

FaultReport::~FaultReport()
{
    const QString function = QString::fromUtf8(QTest::currentTestFunction());
    const QString row = QString::fromUtf8(QTest::currentDataTag());
    const QJsonObject line{{"number", m_number},
                           {"fault", m_fault},
                           {"expected", m_expected},
                           {"injected", m_injected.join("; ")},
                           {"observed", m_observed.join("; ")},
                           {"test", row.isEmpty() ? function : function + '(' + row + ')'},
                           {"result", result()},
                           {"seconds", double(m_time.elapsed()) / 1000}};
    const QDir folder(QStringLiteral(TRAINYARD_FAULT_FOLDER));
    folder.mkpath(".");
    QString name = QString("%1-%2-%3").arg(m_number, 2, 10, QChar('0')).arg(function, row);
    name.replace(QRegularExpression("[^A-Za-z0-9.-]+"), "_");
    QSaveFile file(folder.filePath(name + ".json"));
    if (!file.open(QIODevice::WriteOnly) || file.write(QJsonDocument(line).toJson()) < 0 || !file.commit())
        qWarning("the line of fault %d could not be written: %s", m_number, qPrintable(file.errorString()));
}

void FaultReport::injected(const QString& how)
{
    m_injected << how;
}

void FaultReport::observed(const QString& what)
{
    m_observed << what;
}

QString FaultReport::result() const
{
    if (QTest::currentTestFailed())
        return "failed";
    if (m_injected.isEmpty())
        return "not injected";
    return "passed";
}

} // namespace trainyard
