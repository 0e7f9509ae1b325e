#include <memory>

#include <QTest>

#include "remote/target/backoff.h"
#include "remote/target/call_table.h"

using namespace trainyard;

class TestCallTable : public QObject {
    Q_OBJECT

private slots:
    void answersEachCallOnce()
    {
        CallTable calls;
        int answers = 0;
        Target::Handlers handlers;
        handlers.done = [&](const Result<QJsonObject>&) { ++answers; };
        const auto id = calls.add(nullptr, handlers);
        calls.finish(id, QJsonObject());
        calls.finish(id, QJsonObject());
        calls.finishAll(unreachable("gone"));
        QCOMPARE(answers, 1);
    }

    void forgetsHandlersWhoseOwnerIsGone()
    {
        CallTable calls;
        auto owner = std::make_unique<QObject>();
        int calledBack = 0;
        Target::Handlers handlers;
        handlers.done = [&](const Result<QJsonObject>&) { ++calledBack; };
        handlers.chunk = [&](const QByteArray&) { ++calledBack; };
        const auto id = calls.add(owner.get(), handlers);
        calls.onChunk(id, "x");
        owner.reset();
        calls.onChunk(id, "y");
        calls.finish(id, QJsonObject());
        QCOMPARE(calledBack, 1);
    }

    void letsHandlersUseTheTable()
    {
        CallTable calls;
        Target::CallId id = 0, second = 0;
        Target::Handlers handlers;
        handlers.chunk = [&](const QByteArray&) { calls.remove(id); };
        handlers.done = [&](const Result<QJsonObject>&) { second = calls.add(nullptr, {}); };
        id = calls.add(nullptr, handlers);
        const auto other = calls.add(nullptr, handlers);
        calls.onChunk(id, "x");
        QVERIFY(!calls.remove(id));
        calls.finishAll(unreachable("gone"));
        QVERIFY(second != 0 && second != other);
        QVERIFY(calls.remove(second)); // made while the others ended: it stays open
    }

    void waitsLongerEachTime()
    {
        Backoff backoff(1);
        const QList<int> longest{0, 500, 1000, 2000, 4000, 8000, 15000, 15000, 15000};
        for (const int pause : longest) {
            const auto next = backoff.next().count();
            QVERIFY2(next <= pause && next >= pause * 4 / 5, qPrintable(QString::number(next)));
        }
        backoff.shorten();
        QVERIFY(backoff.next().count() <= 500);
        backoff.reset();
        QCOMPARE(backoff.next().count(), 0);
    }
};

QTEST_APPLESS_MAIN(TestCallTable)
#include "tst_call_table.moc"
