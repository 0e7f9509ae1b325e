#include <fstream>

#include <QTemporaryDir>
#include <QTest>

#include "engine/records/fence.h"
#include "tests/support/patience.h"

using namespace trainyard;

/// Which attempt may write.
class TestFence : public QObject {
    Q_OBJECT

private slots:
    void init() { m_folder = std::make_unique<QTemporaryDir>(); }

    void letsTheNewestAttemptAlone()
    {
        QCOMPARE(newestAttempt(run()), 0u);
        const Fence first(run(), 1);
        QVERIFY(first.check().ok()); // nobody has begun yet
        QVERIFY(first.raise().ok());
        QVERIFY(first.raise().ok());
        QVERIFY(first.check().ok());
        QVERIFY(Fence(run(), 3).raise().ok());
        QCOMPARE(newestAttempt(run()), 3u);
        QVERIFY(Fence(run(), 3).check().ok());
        const Status overtaken = first.check();
        QVERIFY(!overtaken.ok());
        QCOMPARE(overtaken.error().kind, ErrorKind::Refused);
        QCOMPARE(overtaken.error().message, std::string("attempt 1 of the run is fenced by attempt 3"));
    }

    void isNeverLowered()
    {
        QVERIFY(Fence(run(), 7).raise().ok());
        QVERIFY(!Fence(run(), 6).raise().ok());
        QCOMPARE(newestAttempt(run()), 7u);
    }

    void looksAgainAfterASecond()
    {
        Fence first(run(), 1);
        QVERIFY(first.glance().ok());
        QVERIFY(Fence(run(), 2).raise().ok());
        AWAIT(!first.glance().ok());
    }

    void whatCannotBeReadFencesNobody()
    {
        std::ofstream(run() / "EPOCH") << "\x7f garbage";
        QVERIFY(Fence(run(), 1).check().ok());
        QVERIFY(Fence().check().ok());
        QVERIFY(Fence(run(), 2).raise().ok());
        QCOMPARE(newestAttempt(run()), 2u);
    }

private:
    std::filesystem::path run() const { return m_folder->path().toStdString(); }
    std::unique_ptr<QTemporaryDir> m_folder;
};

QTEST_APPLESS_MAIN(TestFence)
#include "tst_fence.moc"
