#include <QAbstractItemModelTester>
#include <QSortFilterProxyModel>
#include <QTest>

#include <cmath>

#include "app/monitor/model/pinned_values.h"

using namespace trainyard;

class TestPinnedValues : public QObject {
    Q_OBJECT

private slots:
    void init()
    {
        m_values = std::make_unique<PinnedValues>();
        m_tester = std::make_unique<QAbstractItemModelTester>(
            m_values.get(), QAbstractItemModelTester::FailureReportingMode::QtTest);
        m_values->pin(20, "step 20", {{"Loss", Quantity::Number, 4.5}});
        m_values->pin(3, "step 3", {{"Loss", Quantity::Number, 9.25}, {"Step time", Quantity::Seconds, 0.5}});
    }

    void hasARowForEachPositionAndAColumnForEachSeries()
    {
        QCOMPARE(m_values->rowCount(), 2);
        QCOMPARE(m_values->columnCount(), 3);
        QCOMPARE(m_values->headerData(2, Qt::Horizontal).toString(), QString("Step time"));
        QCOMPARE(m_values->index(1, 0).data().toString(), QString("step 3"));
        QCOMPARE(m_values->index(1, 2).data().toString(), figureText(0.5, Quantity::Seconds));
        QVERIFY(std::isinf(m_values->index(0, 2).data(PinnedValues::kSortRole).toDouble()));
    }

    void aPositionIsPinnedOnce()
    {
        m_values->pin(20, "step 20", {{"Loss", Quantity::Number, 4.25}});
        QCOMPARE(m_values->rowCount(), 2);
        QCOMPARE(m_values->index(0, 1).data(PinnedValues::kSortRole).toDouble(), 4.25);
    }

    void isSortedByNumber()
    {
        QSortFilterProxyModel sorted;
        sorted.setSourceModel(m_values.get());
        sorted.setSortRole(PinnedValues::kSortRole);
        sorted.sort(0);
        QCOMPARE(sorted.index(0, 0).data().toString(), QString("step 3")); // as text it came last
        sorted.sort(1);
        QCOMPARE(sorted.index(0, 0).data().toString(), QString("step 20"));
    }

    void goesOutAsATable()
    {
        m_values->pin(7, "step 7", {{"a, \"b\"", Quantity::Number, 1.0 / 3}});
        QCOMPARE(m_values->toCsv(), QString("step,Loss,Step time,\"a, \"\"b\"\"\"\n"
                                            "20,4.5,nan,nan\n"
                                            "3,9.25,0.5,nan\n"
                                            "7,nan,nan,0.3333333333333333\n"));
    }

    void pinsAreTakenOffAgain()
    {
        m_values->pin(7, "step 7", {});
        m_values->remove({0, 2});
        QCOMPARE(m_values->rowCount(), 1);
        QCOMPARE(m_values->index(0, 0).data().toString(), QString("step 3"));
        m_values->setContent({});
        QCOMPARE(m_values->rowCount(), 0);
        QCOMPARE(m_values->columnCount(), 1);
    }

private:
    std::unique_ptr<PinnedValues> m_values;
    std::unique_ptr<QAbstractItemModelTester> m_tester;
};

QTEST_GUILESS_MAIN(TestPinnedValues)
#include "tst_pinned_values.moc"
