#include <QTest>

#include "engine/checkpoint/format/checkpoint_writer.h"
#include "engine/checkpoint/format/prepare_start.h"
#include "engine/checkpoint/format/shard_transfers.h"
#include "engine/checkpoint/format/store_agreement.h"
#include "engine/checkpoint/format/store_folder.h"
#include "tests/auto/checkpoint/hosts_checkpoints.h"

using namespace trainyard;

namespace {

StoredCheckpoint stored(std::int64_t step, const std::string& hash, std::vector<std::string> shards = {},
                        bool isPublished = true)
{
    return {stepName(step), isPublished, hash, std::move(shards), {}};
}

/// Only its name is known.
StoredCheckpoint unreadableOne(std::int64_t step)
{
    StoredCheckpoint made = stored(step, {});
    made.unreadable = "Input/output error";
    return made;
}

StoredCheckpoint wrongOne(std::int64_t step)
{
    StoredCheckpoint made = stored(step, {});
    made.wrong = "no hash";
    return made;
}

std::string textOf(const std::vector<LineSwitch::Rename>& renames)
{
    std::string text;
    for (const LineSwitch::Rename& rename : renames)
        text += rename.from.text() + " -> " + rename.to.text() + '\n';
    return text;
}

} // namespace

/// What the folders of several hosts mean together.
class TestStoreAgreement : public QObject {
    Q_OBJECT

private slots:
    void givesEachShardToItsHostAndTheNext()
    {
        QCOMPARE(storesOfShards(0, 3, 1), (std::vector<int>{0, 1}));
        QCOMPARE(storesOfShards(2, 3, 1), (std::vector<int>{2, 0}));
        QCOMPARE(storesOfShards(1, 2, 1), (std::vector<int>{1, 0}));
        QCOMPARE(storesOfShards(1, 3, 0), (std::vector<int>{1}));
        QCOMPARE(storesOfShards(0, 1, 1), (std::vector<int>{0}));
        QCOMPARE(copiesOf({{0, "x", 7}, {1, "y", 9}}, 2, 1),
                 (std::vector<ShardTransfer>{{0, 1, "x", 0, 7}, {1, 0, "y", 0, 9}}));
        QVERIFY(copiesOf({{0, "x", 7}}, 2, 0).empty());
    }

    void fetchesEachPieceOnceFromTheHostWithLeastToSend()
    {
        const auto plan = transfersFor({{2, "x", 0, 100}, {2, "x", 0, 100}, {2, "y", 0, 10}, {1, "y", 0, 10}},
                                       {{"x", {0}}, {"y", {0, 3}}});
        QVERIFY(plan.ok());
        QCOMPARE(plan->size(), std::size_t(3));
        QCOMPARE((*plan)[0], (ShardTransfer{0, 1, "y", 0, 10}));
        QCOMPARE((*plan)[1], (ShardTransfer{0, 2, "x", 0, 100}));
        QCOMPARE((*plan)[2], (ShardTransfer{3, 2, "y", 0, 10}));
        QCOMPARE(transfersFromText(toText(*plan)), *plan);
        // The same want, from the hosts that have not lost that slice.
        const std::vector<LostSlice> lost{{0, "y", 0, false, "damaged on a"},
                                          {3, "y", 64, true, "no reading on d"}};
        const auto others = transfersFor({{1, "y", 0, 10}, {1, "y", 64, 10}}, {{"y", {0, 1, 3}}}, lost);
        QVERIFY(others.ok());
        QCOMPARE(*others, (std::vector<ShardTransfer>{{3, 1, "y", 0, 10}, {0, 1, "y", 64, 10}}));
        QCOMPARE(lostFromText(toText(lost)), lost);
        const auto damaged = transfersFor({{1, "y", 0, 10}}, {{"y", {0, 1}}}, lost);
        QVERIFY(!damaged.ok() && damaged.error().kind == ErrorKind::BadInput);
        const auto unread = transfersFor({{1, "y", 64, 10}}, {{"y", {1, 3}}}, lost);
        QVERIFY(!unread.ok() && unread.error().kind == ErrorKind::Failed); // no reason to set it aside
        QVERIFY(unread.error().message.find("no reading on d") != std::string::npos);

        const auto none = transfersFor({{0, "z", 0, 1}}, {{"x", {0}}});
        QVERIFY(!none.ok());
        QVERIFY(none.error().message.find("z") != std::string::npos);
    }

    void namesTheShardThatNobodyHasAndWhoHadIt()
    {
        const CheckpointManifest manifest = manifestOf({"s0", "s1"});
        const StoreInventory a{"a", {}, {stored(8, "h", {"s0"})}};
        const StoreInventory b{"b", {}, {stored(8, "h", {"s0", "s1"})}};
        const StoreInventory other{"c", {}, {stored(8, "other", {"s1"})}};
        QCOMPARE(healthOver({a, b}, manifest, "h").state, CheckpointState::Complete);
        QCOMPARE(healthOver({b}, manifest, "h").state, CheckpointState::Complete);
        const CheckpointHealth lost = healthOver({a, other}, manifest, "h");
        QCOMPARE(lost.state, CheckpointState::Incomplete);
        QCOMPARE(QString::fromStdString(lost.reason),
                 QString("s1 is on none of the hosts present (a, c); it was written on b or c"));
    }

    /// Only then waiting does not help.
    void isDamagedWhenAllThatWroteItAreThereWithoutAShard_data()
    {
        QTest::addColumn<QString>("third");
        QTest::addColumn<bool>("isLost");
        QTest::addRow("all have the checkpoint") << "c" << true;
        QTest::addRow("one is away") << "" << false;
        QTest::addRow("another one is there") << "d" << false;
        QTest::addRow("the disk of one is not mounted") << "c blank" << false;
        QTest::addRow("the manifest of one is wrong") << "c wrong" << true;
    }
    void isDamagedWhenAllThatWroteItAreThereWithoutAShard()
    {
        QFETCH(QString, third);
        QFETCH(bool, isLost);
        std::vector<StoreInventory> stores{{"a", {}, {stored(8, "h", {"s0"})}},
                                           {"b", {}, {stored(8, "h", {"s0"})}}};
        StoreInventory one{third.left(1).toStdString(), {}, {stored(8, "h")}};
        if (third.endsWith("blank"))
            one.checkpoints.clear();
        if (third.endsWith("wrong"))
            one.checkpoints = {wrongOne(8)};
        if (!third.isEmpty())
            stores.push_back(one);
        QCOMPARE(healthOver(stores, manifestOf({"s0", "s1"}), "h").state,
                 isLost ? CheckpointState::Damaged : CheckpointState::Incomplete);
    }

    void isNotSureOfShardsThatCannotBeRead()
    {
        StoreInventory a{"a", {}, {stored(8, "h", {"s0"})}};
        a.checkpoints.front().unreadable = "cannot open s1: Permission denied";
        const CheckpointHealth health = healthOver({a}, manifestOf({"s0", "s1"}), "h");
        QCOMPARE(health.state, CheckpointState::Unreadable);
        QVERIFY(health.reason.find("Permission denied") != std::string::npos);

        // A host that cannot read its manifest may have the shard.
        const StoreInventory b{"b", {}, {unreadableOne(8)}};
        QCOMPARE(healthOver({{"a", {}, {stored(8, "h", {"s0"})}}, b}, manifestOf({"s0", "s1"}), "h").state,
                 CheckpointState::Unreadable);
    }

    void knowsOfCheckpointsThatItCannotLookAt()
    {
        const StoreInventory head{"a", {}, {stored(4, "old")}};
        const StoreInventory other{
            "b", {}, {unreadableOne(6), stored(4, "old"), unreadableOne(2), wrongOne(7)}};
        const auto newest = newestUnreadable({head, other});
        QVERIFY(newest.has_value());
        QCOMPARE(newest->step, Step{6});
        QCOMPARE(newest->reason, std::string("b: Input/output error"));
        QCOMPARE(wrongManifest({head, other}), std::string("b: no hash"));
        QVERIFY(!newestUnreadable({head}) && wrongManifest({head}).empty());
        QVERIFY(unknownToHead({head, other}).empty()); // nobody can give the head a manifest
    }

    /// The others publish before the head does, and every host has prepared its part by then.
    void finishesAPublicationThatAHostHasBegun()
    {
        const StoreInventory head{"a", {}, {stored(4, "old"), stored(8, "new", {"s0"}, false)}};
        const StoreInventory other{"b", {}, {stored(4, "old"), stored(8, "new", {"s1"})}};
        QCOMPARE(unfinishedPublications(head, {head, other}),
                 (std::vector<Publication>{{stepName(8), stepName(8)}}));
        QVERIFY(unfinishedPublications(other, {head, other}).empty());
        const auto after = afterPublications({head, other});
        QVERIFY(after.front().find("new") != nullptr);

        const StoreInventory prepared{"b", {}, {stored(4, "old"), stored(8, "new", {"s1"}, false)}};
        QVERIFY(unfinishedPublications(head, {head, prepared}).empty());
        QCOMPARE(afterPublications({head, prepared}), (std::vector<StoreInventory>{head, prepared}));
    }

    /// The run saved a step again that it had started from; b has exchanged the old one for the new one, a
    /// has not.
    void replacesACheckpointOfTheSameStepOnAllHosts()
    {
        StoredCheckpoint renewed = stored(8, "new", {"s0"});
        renewed.replaces = "old";
        StoredCheckpoint prepared = renewed;
        prepared.isPublished = false;
        const StoreInventory a{"a", {}, {stored(8, "old", {"s0"}), prepared}};
        const StoreInventory b{"b", {}, {renewed, stored(8, "old", {"s0"}, false)}};
        QCOMPARE(unfinishedPublications(a, {a, b}).size(), std::size_t(1));
        QVERIFY(unfinishedPublications(b, {a, b}).empty()); // it would bring the old one back
        const auto after = afterPublications({a, b});
        QVERIFY(after[0].find("new") && !after[0].find("old"));
        QVERIFY(after[1].find("new") && !after[1].find("old"));
    }

    /// The host that published it has been away when the run went on without it.
    void publishesUnderTheNameThatTheOtherHostHas()
    {
        const StoreInventory mine{"a", {}, {stored(8, "left", {"s0"}, false)}};
        StoreInventory other{"b", {}, {stored(8, "left", {"s1"})}};
        other.checkpoints.front().name = stepName(8, 1);
        QCOMPARE(unfinishedPublications(mine, {mine, other}),
                 (std::vector<Publication>{{stepName(8), stepName(8, 1)}}));
        QVERIFY(afterPublications({mine, other}).front().find(stepName(8, 1)));
    }

    void tellsTheHeadWhatOthersHave()
    {
        const StoreInventory head{"a", {}, {stored(4, "old")}};
        const StoreInventory other{"b", {}, {stored(4, "old"), stored(8, "new")}};
        const auto unknown = unknownToHead({head, other, other});
        QCOMPARE(unknown.size(), std::size_t(1));
        QCOMPARE(unknown.front().name, stepName(8));
        QCOMPARE(unknown.front().store, std::size_t(1));
    }

    /// Of any age and line: the head has kept the folder.
    void givesTheHeadTheManifestThatIsWrongThereAlone()
    {
        StoreInventory head{"a", {}, {stored(8, "new"), wrongOne(4), wrongOne(6)}};
        head.checkpoints.back().name = stepName(6, 1);
        StoreInventory other{
            "b", {}, {stored(8, "new"), stored(4, "old"), stored(2, "removed"), stored(6, "left")}};
        other.checkpoints.back().name = stepName(6, 1);
        const auto unknown = unknownToHead({head, other});
        QCOMPARE(unknown.size(), std::size_t(2));
        QCOMPARE(unknown[0].hash, std::string("old"));
        QCOMPARE(unknown[1].hash, std::string("left"));
    }

    /// The other host was stopped before it removed what the head had removed.
    void leavesToTheNextCleaningWhatTheHeadHasRemoved()
    {
        const StoreInventory head{"a", {}, {stored(8, "new")}};
        const StoreInventory other{"b", {}, {stored(4, "old"), stored(8, "new")}};
        QVERIFY(unknownToHead({head, other}).empty());
        QVERIFY(renamesToFollow(other, head).empty());
    }

    /// The run went back while the other host was away.
    void takesNothingOfALineThatTheHeadHasLeft()
    {
        StoreInventory head{"a", {}, {stored(4, "old")}};
        head.record.lines.push_back({2, 1, 4});
        const StoreInventory other{"b", {}, {stored(4, "old"), stored(8, "left")}};
        QCOMPARE(storeOfHistory({head, other}).value(), std::size_t(0));
        QCOMPARE(textOf(renamesToFollow(other, head)),
                 std::string("step-000000008 -> step-000000008.line-1\n"));
    }

    void takesTheHistoryOfOthersWhereTheHeadHasNone()
    {
        StoreInventory other{"b", {}, {stored(8, "new")}};
        other.record.lines.push_back({2, 1, 4});
        const StoreInventory blank{"a", {}, {}};
        QCOMPARE(storeOfHistory({blank, other}).value(), std::size_t(1));
        QCOMPARE(unknownToHead({blank, other}).size(), std::size_t(1));
        other.record = {};
        QCOMPARE(storeOfHistory({blank, other}).value(), std::size_t(1));
    }

    /// Resumed with the hosts in another order.
    void takesTheLongestHistory()
    {
        const StoreInventory stale{"a", {}, {stored(4, "old"), stored(8, "left"), stored(2, "removed")}};
        StoreInventory other{"b", {}, {stored(4, "old"), stored(6, "new")}};
        other.record.lines.push_back({2, 1, 4, "x"});
        QCOMPARE(storeOfHistory({stale, other}).value(), std::size_t(1));
        // What is older than the change is cleaned away, not kept for ever.
        QCOMPARE(textOf(renamesToFollow(stale, other)),
                 std::string("step-000000008 -> step-000000008.line-1\n"));
    }

    /// Both went on alone, one after the other.
    void refusesHistoriesThatContradictEachOther()
    {
        StoreInventory a{"a", {}, {stored(4, "old")}};
        StoreInventory b = a;
        b.host = "b";
        a.record.lines.push_back({2, 1, 4, "x"});
        b.record.lines.push_back({2, 1, 4, "y"});
        const auto history = storeOfHistory({a, b});
        QVERIFY(!history.ok());
        QCOMPARE(history.error().kind, ErrorKind::Refused);
        QVERIFY(history.error().message.find("on a and on b without each other") != std::string::npos);
    }

    void knowsWhichHostsAreAbsent_data()
    {
        QTest::addColumn<QString>("b");
        QTest::addColumn<bool>("isAbsent");
        QTest::addRow("it is there") << "present" << false;
        QTest::addRow("it is away") << "away" << true;
        QTest::addRow("it has a new disk") << "blank" << true;
        QTest::addRow("it was told of checkpoints, but the start was interrupted") << "told" << true;
        QTest::addRow("it has missed a change of lines") << "stale" << true;
    }
    void knowsWhichHostsAreAbsent()
    {
        QFETCH(QString, b);
        QFETCH(bool, isAbsent);
        LineRecord record{"step-000000004", {{1, 0, 0}, {2, 1, 4, "x"}}, {"a", "b"}};
        std::vector<StoreInventory> stores{{"a", record, {}}, {"b", record, {}}};
        if (b == "away")
            stores.pop_back();
        else if (b == "stale")
            stores.back().record.lines.pop_back();
        else if (b != "present")
            stores.back().record = {};
        if (b == "told")
            stores.back().checkpoints = {stored(4, "old")};
        QCOMPARE(absentHosts(record, stores),
                 isAbsent ? std::vector<std::string>{"b"} : std::vector<std::string>());
        QVERIFY(absentHosts({}, stores).empty()); // one folder has all
    }

    void takesTheNamesOfTheHeadByContent()
    {
        StoreInventory head{"a", {}, {stored(4, "x"), stored(8, "y"), stored(8, "z")}};
        head.checkpoints[1].name = stepName(8, 1);
        const StoreInventory same{"b", {}, {stored(4, "x"), stored(8, "y")}};
        QCOMPARE(textOf(renamesToFollow(same, head)),
                 std::string("step-000000008 -> step-000000008.line-1\n"));

        // Two that trade names.
        StoreInventory swapped{"b", {}, {stored(8, "y"), stored(8, "z")}};
        swapped.checkpoints[1].name = stepName(8, 1);
        QCOMPARE(textOf(renamesToFollow(swapped, head)),
                 std::string("step-000000008.line-1 -> step-000000008.line-1.damaged\n"
                             "step-000000008 -> step-000000008.line-1\n"
                             "step-000000008.line-1.damaged -> step-000000008\n"));
    }

    void survivesTheWayToAnotherRank()
    {
        StoreInventory inventory{"a host", {"step-000000008", {{1, 0, 0}, {2, 1, 4, "id"}}, {"a", "b"}}, {}};
        inventory.checkpoints.push_back(stored(8, "h", {"s0", "s1"}, false));
        inventory.checkpoints.back().unreadable = "cannot open \xff\xfe"; // a path may be any bytes
        inventory.checkpoints.back().replaces = "another";
        inventory.checkpoints.push_back(wrongOne(6));
        QCOMPARE(inventoryFromText(toText(inventory)), inventory);
    }
};

QTEST_APPLESS_MAIN(TestStoreAgreement)
#include "tst_store_agreement.moc"
