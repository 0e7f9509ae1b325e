#include <QJsonArray>
#include <QTest>

#include "remote/launch/run_checkpoints.h"

using namespace trainyard;

namespace {

/// As a host lists it. `here`: which shards it has; empty: its folder has the whole checkpoint, or none of
/// it.
QJsonObject entryOf(const QString& folder, const QString& state, const QString& manifest, const QString& here)
{
    QJsonObject entry{{"folder", folder},
                      {"step", folder.mid(5, 9).toInt()},
                      {"state", state},
                      {"reason", state == "whole" ? "" : "manifest.json is cut off"},
                      {"bytes", 100},
                      {"verified", state == "whole"},
                      {"parts", QJsonValue::Null}};
    if (!here.isEmpty())
        entry["parts"] = QJsonObject{{"manifest", manifest}, {"here", here}};
    return entry;
}

HostCheckpoints answerOf(const QString& host, const QList<QJsonObject>& entries)
{
    QJsonArray all;
    for (const QJsonObject& entry : entries)
        all << entry;
    return {host, {{"checkpoints", all}}};
}

QString textOf(const QList<RunCheckpoint>& all)
{
    QStringList texts;
    for (const RunCheckpoint& one : all)
        texts << QString("%1 %2%3").arg(one.step).arg(one.state, one.next ? " next" : "");
    return texts.join(", ");
}

const QString kStep4 = "step-000000004";
const QString kStep8 = "step-000000008";

} // namespace

/// What several hosts hold together, from what each of them has.
class TestRunCheckpoints : public QObject {
    Q_OBJECT

private slots:
    void believesTheHeadThatHasAll()
    {
        QJsonObject damaged = entryOf(kStep8, "damaged", {}, {});
        QJsonObject whole = entryOf(kStep4, "whole", {}, {});
        whole["next"] = true;
        const auto all = checkpointsTogether({answerOf("a", {damaged, whole})}, {});
        QCOMPARE(textOf(all), QString("8 damaged, 4 whole next"));
        QCOMPARE(all[0].reason, QString("manifest.json is cut off"));
    }

    void addsUpTheShards_data()
    {
        QTest::addColumn<QString>("onA");
        QTest::addColumn<QString>("onB");
        QTest::addColumn<QStringList>("silent");
        QTest::addColumn<QString>("expected");
        QTest::addColumn<QString>("reason");
        QTest::addRow("each has half") << "10"
                                       << "01" << QStringList() << "8 whole next"
                                       << "";
        QTest::addRow("a third host is silent, its shards have copies")
            << "10"
            << "01" << QStringList("c") << "8 whole next"
            << "c did not answer";
        QTest::addRow("none has the second") << "10"
                                             << "10" << QStringList() << "8 damaged"
                                             << "1 of 2 shards is missing on all hosts of the run";
        QTest::addRow("the silent one may have it")
            << "10"
            << "10" << QStringList("c") << "8 incomplete"
            << "1 of 2 shards is missing on all hosts that answered; c did not answer";
    }
    void addsUpTheShards()
    {
        QFETCH(QString, onA);
        QFETCH(QString, onB);
        QFETCH(QStringList, silent);
        QFETCH(QString, expected);
        QFETCH(QString, reason);
        const auto all = checkpointsTogether({answerOf("a", {entryOf(kStep8, "whole", "m", onA)}),
                                              answerOf("b", {entryOf(kStep8, "whole", "m", onB)})},
                                             silent);
        QCOMPARE(textOf(all), expected);
        QCOMPARE(all[0].reason, reason);
        QCOMPARE(all[0].bytes, qint64(200));
        QCOMPARE(all[0].verified, expected.startsWith("8 whole"));
    }

    /// Of another manifest they are shards of another checkpoint.
    void addsUpOneCheckpointAlone()
    {
        const auto all = checkpointsTogether({answerOf("a", {entryOf(kStep8, "whole", "m", "10")}),
                                              answerOf("b", {entryOf(kStep8, "whole", "other", "01")})},
                                             {});
        QCOMPARE(textOf(all), QString("8 damaged"));
    }

    void readsAManifestThatIsDamagedOnTheHeadElsewhere()
    {
        const HostCheckpoints head = answerOf("a", {entryOf(kStep8, "damaged", {}, {})});
        auto all = checkpointsTogether({head, answerOf("b", {entryOf(kStep8, "whole", "m", "11")})}, {});
        QCOMPARE(textOf(all), QString("8 whole next"));
        QCOMPARE(all[0].reason, QString("b has its manifest, which is damaged on a"));
        all = checkpointsTogether({head, answerOf("b", {entryOf(kStep8, "whole", "m", "01")})}, {});
        QCOMPARE(textOf(all), QString("8 incomplete")); // the head may have the rest
        all = checkpointsTogether({head}, {"b"});
        QCOMPARE(textOf(all), QString("8 damaged"));
    }

    void listsNewerOnesThatOnlyOthersKnow()
    {
        const HostCheckpoints head = answerOf("a", {entryOf(kStep4, "whole", "old", "11")});
        const HostCheckpoints other = answerOf("b", {entryOf(kStep8, "whole", "new", "11"),
                                                     entryOf("step-000000002", "whole", "removed", "11")});
        const auto all = checkpointsTogether({head, other}, {});
        QCOMPARE(textOf(all), QString("8 whole next, 4 whole"));
        QCOMPARE(all[0].reason, QString("a does not know it yet"));
    }

    void leavesOutWhatWasSetAsideOrLeft()
    {
        const HostCheckpoints head =
            answerOf("a", {entryOf("step-000000009.damaged", "damaged", {}, {}),
                           entryOf("step-000000008.line-1", "abandoned", "left", "11"),
                           entryOf(kStep4, "whole", "m", "11")});
        QCOMPARE(textOf(checkpointsTogether({head}, {})), QString("9 damaged, 8 abandoned, 4 whole next"));
    }

    /// A user has gone back: the head says what is next.
    void leavesTheChoiceToAUser()
    {
        QJsonObject chosen = entryOf(kStep4, "whole", "m", "11");
        chosen["next"] = true;
        HostCheckpoints head = answerOf("a", {entryOf(kStep8, "whole", "new", "11"), chosen});
        head.reply["going_back"] = true;
        QCOMPARE(textOf(checkpointsTogether({head}, {})), QString("8 whole, 4 whole next"));
    }
};

QTEST_APPLESS_MAIN(TestRunCheckpoints)
#include "tst_run_checkpoints.moc"
