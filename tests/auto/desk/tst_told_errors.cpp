#include <QTest>

#include "app/runs/told_errors.h"

using namespace trainyard;

class TestToldErrors : public QObject {
    Q_OBJECT

private slots:
    /// A rank, its supervisor, the state of the run.
    void saysACauseOnce()
    {
        const std::string cause = "/data/wiki/shard-3: no space left";
        const std::string reason = "rank 0 on gpu-03 ended with status 5: " + cause;
        ToldErrors told;
        QCOMPARE(told.newPartOf(cause), cause);
        QCOMPARE(told.newPartOf(reason), std::string("rank 0 on gpu-03 ended with status 5"));
        QCOMPARE(told.newPartOf(reason), std::string());
        told.forget();
        QCOMPARE(told.newPartOf(reason), reason);
        QCOMPARE(told.newPartOf(cause), std::string());
    }

    void keepsWhatIsNew()
    {
        ToldErrors told;
        QCOMPARE(told.newPartOf("space left"), std::string("space left"));
        QCOMPARE(told.newPartOf("no space left"), std::string("no space left"));
        QCOMPARE(told.newPartOf(""), std::string());
        QCOMPARE(told.newPartOf("the link is lost"), std::string("the link is lost"));
    }
};

QTEST_APPLESS_MAIN(TestToldErrors)
#include "tst_told_errors.moc"
