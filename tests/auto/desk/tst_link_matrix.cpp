#include <QAbstractItemModelTester>
#include <QTest>

#include "app/base/tone.h"
#include "app/hosts/model/link_matrix_model.h"

using namespace trainyard;

namespace {

LinkRow measured(const QString& from, const QString& to, double ms, double bytesPerSecond = 0)
{
    LinkRow link;
    link.from = from;
    link.to = to;
    link.found = QStringLiteral("measured");
    link.latencyMs = ms;
    link.bytesPerSecond = bytesPerSecond;
    return link;
}

HostReport reportOf(const QString& host, const QList<LinkRow>& links)
{
    HostReport report;
    report.host = host;
    report.links = links;
    return report;
}

/// Of three hosts, one of which does not reach another.
PreflightReport threeHosts()
{
    LinkRow refused = measured("a", "c", 0);
    refused.verdict = Verdict::Fail;
    refused.found = "refused on 10.0.0.3";
    refused.fix = "open the ports";
    LinkRow login = measured("a", "b", 50);
    login.way = LinkRow::Way::Ssh;
    PreflightReport report;
    report.hosts = {reportOf("a", {login, measured("a", "b", 0.1, 4e9), refused}),
                    reportOf("b", {measured("b", "a", 0.2), measured("b", "c", 0.4, 1e9)}),
                    reportOf("c", {measured("c", "a", 0.1, 2e9)})};
    return report;
}

} // namespace

class TestLinkMatrix : public QObject {
    Q_OBJECT

private slots:
    void init() { m_matrix.setMetric(LinkMatrixModel::Metric::Latency); }

    void keepsTheRulesOfAModel()
    {
        LinkMatrixModel model;
        const QAbstractItemModelTester tester(&model, QAbstractItemModelTester::FailureReportingMode::QtTest);
        model.setReport(threeHosts());
        model.setMetric(LinkMatrixModel::Metric::Bandwidth);
        model.setReport({});
        QCOMPARE(model.rowCount(), 0);
        QVERIFY(model.span().isEmpty());
    }

    void hasACellForEveryPair()
    {
        m_matrix.setReport(threeHosts());
        QCOMPARE(m_matrix.rowCount(), 3);
        QCOMPARE(m_matrix.columnCount(), 3);
        QCOMPARE(m_matrix.headerData(2, Qt::Vertical, Qt::DisplayRole).toString(), "c");
        QCOMPARE(m_matrix.headerData(1, Qt::Horizontal, Qt::DisplayRole).toString(), "→ b");
        QCOMPARE(text(0, 0), "");
        QVERIFY2(text(0, 1).startsWith("0.1 ms · "), qPrintable(text(0, 1))); // not the login's 50 ms
        QCOMPARE(text(1, 0), "0.2 ms");
        QCOMPARE(text(0, 2), "✕ refused on 10.0.0.3");
        QCOMPARE(text(2, 1), "–");
        QCOMPARE(at(2, 1, Qt::ToolTipRole).toString(), "c → b: not tested");
        QCOMPARE(at(0, 2, Qt::AccessibleTextRole).toString(), "a → c: refused on 10.0.0.3; open the ports");
        QCOMPARE(at(0, 2, kToneRole).toInt(), static_cast<int>(Tone::Bad));
    }

    void isHottestWhereALinkIsSlowest()
    {
        m_matrix.setReport(threeHosts());
        QCOMPARE(heat(0, 1), 0.0);
        QCOMPARE(heat(1, 0), 0.5); // of 0.1 ms to 0.4 ms, by ratios
        QCOMPARE(heat(1, 2), 1.0);
        QVERIFY(!at(0, 2, kHeatRole).isValid());
        QCOMPARE(m_matrix.span(), "0.1 ms to 0.4 ms; stronger colour means slower");
        m_matrix.setMetric(LinkMatrixModel::Metric::Bandwidth);
        QCOMPARE(heat(0, 1), 0.0);
        QCOMPARE(heat(2, 0), 0.5);
        QCOMPARE(heat(1, 2), 1.0);
        QVERIFY(!at(1, 0, kHeatRole).isValid()); // its bandwidth was not measured
    }

    void isColdWhereAllLinksAreAlike()
    {
        PreflightReport report;
        report.hosts = {reportOf("a", {measured("a", "b", 0.1, 1e9)}),
                        reportOf("b", {measured("b", "a", 0.1, 1e9)})};
        m_matrix.setReport(report);
        QCOMPARE(heat(0, 1), 0.0);
        m_matrix.setMetric(LinkMatrixModel::Metric::Bandwidth);
        QCOMPARE(heat(1, 0), 0.0);
    }

private:
    QVariant at(int row, int column, int role) const
    {
        return m_matrix.data(m_matrix.index(row, column), role);
    }
    QString text(int row, int column) const { return at(row, column, Qt::DisplayRole).toString(); }
    double heat(int row, int column) const { return at(row, column, kHeatRole).toDouble(); }

    LinkMatrixModel m_matrix;
};

QTEST_APPLESS_MAIN(TestLinkMatrix)
#include "tst_link_matrix.moc"
