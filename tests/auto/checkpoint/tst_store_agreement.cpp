#include <QTemporaryDir>
#include <QTest>

#include <fstream>

#include "engine/base/file.h"
#include "engine/checkpoint/format/checkpoint_writer.h"
#include "engine/checkpoint/format/prepare_start.h"
#include "engine/checkpoint/format/shard_transfers.h"
#include "engine/checkpoint/format/store_agreement.h"
#include "engine/checkpoint/format/store_folder.h"
#include "tests/support/checkpoint/small_checkpoint.h"

using namespace trainyard;
namespace fs = std::filesystem;

namespace {

CheckpointName stepName(std::int64_t step, int line = 0, int damaged = 0)
{
    return {Step{step}, line, damaged};
}

StoredCheckpoint stored(std::int64_t step, const std::string& hash, std::vector<std::string> shards = {},
                        bool isPublished = true)
{
    return {stepName(step), isPublished, hash, std::move(shards), {}};
}

/// Two shards, of hosts a and b, each with a copy on the next one.
CheckpointManifest manifestOf(const std::vector<std::string>& shards)
{
    CheckpointManifest manifest;
    manifest.position.step = Step{8};
    LogicalTensor tensor{"model/weight", ElementType::F32, {std::int64_t(shards.size())}, {}};
    for (std::size_t i = 0; i < shards.size(); ++i) {
        tensor.slices.push_back({{std::int64_t(i)}, {1}, shards[i], 0, 4, ""});
        manifest.places[shards[i]] = {i == 0 ? "a" : "b", i == 0 ? "b" : "c"};
    }
    manifest.tensors.push_back(std::move(tensor));
    return manifest;
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

    void listsWhatAFolderHolds()
    {
        const fs::path folder = path();
        QVERIFY(publishSmallCheckpoint(folder, 4, 2).ok());
        QVERIFY(publishSmallCheckpoint(folder, 8, 2).ok());
        fs::resize_file(folder / "step-000000004" / "shard-0001-of-0002.safetensors", 20);
        fs::rename(folder / "step-000000008", folder / ".step-000000008.partial");
        const auto inventory = StoreInventory::read(folder, "a");
        QVERIFY(inventory.ok());
        QCOMPARE(inventory->checkpoints.size(), std::size_t(2));
        QCOMPARE(inventory->checkpoints[0].name, stepName(4));
        QCOMPARE(inventory->checkpoints[0].shards,
                 std::vector<std::string>{"shard-0000-of-0002.safetensors"});
        QVERIFY(!inventory->checkpoints[1].isPublished);
        QCOMPARE(inventory->checkpoints[1].shards.size(), std::size_t(2));

        QVERIFY(finishPublications(folder, {{stepName(8), stepName(8)}}, {}).ok());
        QVERIFY(fs::exists(folder / "step-000000008" / "manifest.json"));
        QVERIFY(StoreInventory::read(folder / "missing", "a")->checkpoints.empty());
    }

    void followsTheHeadOverWhatIsInTheWay()
    {
        const fs::path folder = path();
        QVERIFY(publishSmallCheckpoint(folder, 8).ok());
        fs::create_directory(folder / "step-000000008.line-1"); // no checkpoint: it has no manifest
        const LineRecord record{"step-000000004", {{1, 0, 0}, {2, 1, 4}}};
        QVERIFY(followHead(folder, {{stepName(8), stepName(8, 1)}}, record, {}).ok());
        QVERIFY(fs::exists(folder / "step-000000008.line-1" / "manifest.json"));
        QVERIFY(fs::exists(folder / "step-000000008.line-1.damaged"));
        QCOMPARE(readFile(folder / "latest").value(), std::string("step-000000004\n"));
        QCOMPARE(LineRecord::load(folder).value(), record);
    }

    /// What is on its way out is never taken for a checkpoint that awaits its publication.
    void doesNotListWhatIsBeingRemoved()
    {
        const fs::path folder = path();
        QVERIFY(publishSmallCheckpoint(folder, 8, 2).ok());
        fs::rename(folder / "step-000000008", folder / ".step-000000008.leaving");
        QVERIFY(StoreInventory::read(folder, "a")->checkpoints.empty());
        QVERIFY(removeInterrupted(folder).ok());
        QVERIFY(!fs::exists(folder / ".step-000000008.leaving"));
    }

    void sparesWhatOtherHostsMayHavePublished()
    {
        const fs::path folder = path();
        for (const char* name :
             {".step-000000004.partial", ".step-000000006.partial", ".step-000000006.1.partial"})
            fs::create_directory(folder / name);
        QVERIFY(CheckpointWriter(folder, Step{8}).begin(folder / ".step-000000006.partial").ok());
        QVERIFY(fs::exists(folder / ".step-000000006.partial"));
        QVERIFY(!fs::exists(folder / ".step-000000004.partial") &&
                !fs::exists(folder / ".step-000000006.1.partial"));
    }

    void keepsWhatIsNewerThanAnOldList()
    {
        const fs::path run = path();
        const fs::path folder = run / "checkpoints";
        for (const int step : {2, 4, 6, 8})
            QVERIFY(publishSmallCheckpoint(folder, step).ok());
        // A host that was frozen goes on with the list of its attempt.
        const Fence old(run, 1);
        QVERIFY(Fence(run, 2).raise().ok());
        QCOMPARE(removeUnlisted(folder, {stepName(6)}, old).error().kind, ErrorKind::Refused);
        QVERIFY(fs::exists(folder / "step-000000002"));
        QVERIFY(removeUnlisted(folder, {stepName(6)}, {}).ok());
        QVERIFY(!fs::exists(folder / "step-000000002") && !fs::exists(folder / "step-000000004"));
        QVERIFY(fs::exists(folder / "step-000000006") && fs::exists(folder / "step-000000008"));
    }

    void keepsAWishToGoBackWhenItFollowsTheHistory()
    {
        const fs::path folder = path();
        for (const int step : {2, 4, 6})
            QVERIFY(publishSmallCheckpoint(folder, step).ok());
        QVERIFY(goBackTo(folder, 4).ok());
        const LineRecord record{"step-000000004", {{1, 0, 0}, {2, 1, 2, "x"}}, {"a", "b"}};
        QVERIFY(
            followHistory(folder, {{stepName(4), stepName(4, 1)}, {stepName(6), stepName(6, 1)}}, record, {})
                .ok());
        const auto listing = CheckpointListing::read(folder);
        QCOMPARE(listing->latest, std::string("step-000000004.line-1"));
        QVERIFY(switchAskedFor(*listing).has_value());
        QCOMPARE(listing->record.lines, record.lines);

        // Without a wish, even after a crash between a checkpoint's name and `latest`.
        const fs::path other = path();
        for (const int step : {2, 4})
            QVERIFY(publishSmallCheckpoint(other, step).ok());
        LineRecord before = LineRecord::load(other).value();
        before.latest = "step-000000002";
        QVERIFY(before.save(other).ok());
        QVERIFY(followHistory(other, {{stepName(4), stepName(4, 1)}}, record, {}).ok());
        QVERIFY(!switchAskedFor(CheckpointListing::read(other).value()).has_value());
    }

    /// Alone it cannot say what is complete.
    void changesNothingInOneFolderOfSeveral()
    {
        const fs::path folder = path();
        for (const int step : {2, 4})
            QVERIFY(publishSmallCheckpoint(folder, step).ok());
        fs::remove(folder / "step-000000004" / "manifest.json");
        LineRecord record = LineRecord::load(folder).value();
        record.hosts = {"a", "b"};
        QVERIFY(record.save(folder).ok());
        QVERIFY(prepareStart(folder, {}).ok());
        QVERIFY(fs::exists(folder / "step-000000004"));
        QCOMPARE(LineRecord::load(folder).value(), record);
    }

    void waitsForTheHostsOfTheNewestCheckpoint()
    {
        const fs::path folder = path();
        for (const int step : {2, 4})
            QVERIFY(publishSmallCheckpoint(folder, step).ok());
        const LineRecord before = LineRecord::load(folder).value();
        StartView view{.examine = [](const CheckpointName& name) {
            return name.step == Step{4}
                       ? CheckpointHealth{CheckpointState::Incomplete, "s1 is on none of the hosts"}
                       : CheckpointHealth{};
        }};
        view.hosts.emplace();
        const auto start = prepareStart(folder, {}, view);
        QVERIFY(!start.ok());
        QCOMPARE(start.error().kind, ErrorKind::Unreachable);
        QVERIFY(fs::exists(folder / "step-000000004"));
        QCOMPARE(LineRecord::load(folder).value(), before);
        QVERIFY(goBackTo(folder, 2).ok());
        QCOMPARE(prepareStart(folder, {}, view)->step, std::int64_t(2));
        QVERIFY(fs::exists(folder / "step-000000004.line-1"));
    }

    void refusesToPassOverWhatAnotherHostCannotRead()
    {
        const fs::path folder = path();
        StartView view{.examine = [](const CheckpointName&) { return CheckpointHealth{}; },
                       .unreadable = UnreadableElsewhere{Step{6}, "b: Input/output error"}};
        view.hosts.emplace();
        QCOMPARE(prepareStart(folder, {}, view).error().kind, ErrorKind::Refused); // not from step 0
        QVERIFY(publishSmallCheckpoint(folder, 4).ok());
        QCOMPARE(prepareStart(folder, {}, view).error().kind, ErrorKind::Refused);
        QVERIFY(publishSmallCheckpoint(folder, 8).ok());
        QCOMPARE(prepareStart(folder, {}, view)->step, std::int64_t(8));
    }

    void refusesToBeginBesideAWrongManifest()
    {
        StartView view{.examine = [](const CheckpointName&) { return CheckpointHealth{}; },
                       .wrongElsewhere = "b: manifest.json does not match its hash"};
        const auto start = prepareStart(path(), {}, view);
        QVERIFY(!start.ok());
        QVERIFY(start.error().message.find("does not match") != std::string::npos);
    }

    void beginsALineWithoutAHostThatTookPart()
    {
        const fs::path folder = path();
        for (const int step : {2, 4})
            QVERIFY(publishSmallCheckpoint(folder, step).ok());
        StartView view{.examine = [](const CheckpointName&) { return CheckpointHealth{}; }, .absent = {"b"}};
        view.hosts = {"a", "c"};
        const auto start = prepareStart(folder, {}, view);
        QVERIFY(start.ok());
        QCOMPARE(start->step, std::int64_t(4));
        QVERIFY(start->changes.front().find("without the disk of b") != std::string::npos);
        const LineRecord record = LineRecord::load(folder).value();
        QCOMPARE(record.lines.size(), std::size_t(2));
        QCOMPARE(record.present().from, std::int64_t(4));
        QVERIFY(!record.present().id.empty());
        QCOMPARE(record.hosts, (std::vector<std::string>{"a", "c"}));
        view.absent.clear();
        QVERIFY(prepareStart(folder, {}, view)->changes.empty());
    }

    void writesFormat3OnlyWithPlaces()
    {
        CheckpointManifest manifest = manifestOf({"s0", "s1"});
        QVERIFY(manifest.toJson().starts_with("{\n \"trainyard_checkpoint\": 3,"));
        manifest.replaces = "0123";
        const auto again = CheckpointManifest::parse(manifest.toJson());
        QVERIFY(again.ok());
        QCOMPARE(again->replaces, manifest.replaces);
        manifest.replaces.clear();
        manifest.places.clear();
        QVERIFY(manifest.toJson().starts_with("{\n \"trainyard_checkpoint\": 2,"));
    }

    /// Only then a missing shard may be on another host.
    void looksElsewhereOnlyWhereAnotherHostHasAPart()
    {
        const fs::path folder = path() / "step-000000008";
        fs::create_directory(folder);
        CheckpointManifest manifest = manifestOf({"s0"});
        manifest.places["s0"] = {"a"};
        QVERIFY(writeFileAtomically(folder / "manifest.json", manifest.toJson()).ok());
        QCOMPARE(examineIndex(folder).state, CheckpointState::Complete); // of an unknown host
        QVERIFY(writeFileAtomically(folder / "host", "b\n").ok());
        QCOMPARE(examineIndex(folder).state, CheckpointState::Complete);
        QVERIFY(writeFileAtomically(folder / "host", "a\n").ok());
        QCOMPARE(examineIndex(folder).state, CheckpointState::Damaged);
        manifest.places["s0"] = {"a", "b"};
        QVERIFY(writeFileAtomically(folder / "manifest.json", manifest.toJson()).ok());
        QCOMPARE(examineIndex(folder).state, CheckpointState::Complete);
        QVERIFY(writeFileAtomically(folder / "s0", "cut off").ok());
        QCOMPARE(examineIndex(folder).state, CheckpointState::Complete);
    }

    void knowsOfACheckpointWithoutItsShards()
    {
        const fs::path folder = path();
        const std::string manifest = [] {
            CheckpointManifest made = manifestOf({"s0", "s1"});
            made.position.step = Step{8};
            return made.toJson();
        }();
        QVERIFY(keepManifest(folder, stepName(8), manifest, {}).ok());
        QCOMPARE(examineIndex(folder / "step-000000008").state, CheckpointState::Complete); // as far as here
        const auto inventory = StoreInventory::read(folder, "a");
        QCOMPARE(inventory->checkpoints.size(), std::size_t(1));
        QVERIFY(inventory->checkpoints.front().shards.empty());
        fs::remove(folder / "step-000000008" / "manifest.json");
        QCOMPARE(examineIndex(folder / "step-000000008").state, CheckpointState::Damaged);
        QVERIFY(keepManifest(folder, stepName(8), manifest, {}).ok());
        QCOMPARE(examineIndex(folder / "step-000000008").state, CheckpointState::Complete);
        QVERIFY(!fs::exists(folder / "step-000000008.damaged"));
    }

    void repairsAManifestAndKeepsTheShards()
    {
        const fs::path folder = path() / "step-000000008";
        const std::string manifest = manifestOf({"s0", "s1"}).toJson();
        fs::create_directory(folder);
        QVERIFY(writeFileAtomically(folder / "manifest.json", manifest.substr(0, manifest.size() / 2)).ok());
        QVERIFY(writeFileAtomically(folder / "s0", "a shard").ok());
        QVERIFY(keepManifest(folder.parent_path(), stepName(8), manifest, {}).ok());
        QCOMPARE(readFile(folder / "manifest.json").value(), manifest);
        QCOMPARE(readFile(folder / "s0").value(), std::string("a shard"));
        QCOMPARE(readFile(folder / "manifest.json.damaged").value().size(), manifest.size() / 2);
    }

    /// Only the start sees the other hosts.
    void mayGoBackToWhatAnotherHostMayHaveWhole()
    {
        const fs::path folder = path();
        fs::create_directory(folder / "step-000000008");
        QVERIFY(!goBackTo(folder, 8).ok());
        LineRecord record;
        record.hosts = {"a", "b"};
        QVERIFY(record.save(folder).ok());
        QVERIFY(goBackTo(folder, 8).ok());
        QCOMPARE(readFile(folder / "latest").value(), std::string("step-000000008\n"));
    }

private:
    fs::path path()
    {
        const fs::path folder = fs::path(m_folder.path().toStdString()) / std::to_string(++m_folders);
        fs::create_directory(folder);
        return folder;
    }

    QTemporaryDir m_folder;
    int m_folders = 0;
};

QTEST_APPLESS_MAIN(TestStoreAgreement)
#include "tst_store_agreement.moc"
