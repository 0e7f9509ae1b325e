#include <QTemporaryDir>
#include <QTest>

#include <fstream>

#include "engine/base/file.h"
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
    LogicalTensor tensor{"model/weight", ElementType::F32, {std::int64_t(shards.size())}, {}};
    for (std::size_t i = 0; i < shards.size(); ++i) {
        tensor.slices.push_back({{std::int64_t(i)}, {1}, shards[i], 0, 4, ""});
        manifest.places[shards[i]] = {i == 0 ? "a" : "b", i == 0 ? "b" : "c"};
    }
    manifest.tensors.push_back(std::move(tensor));
    return manifest;
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
        QCOMPARE(lost.state, CheckpointState::Damaged);
        QCOMPARE(QString::fromStdString(lost.reason),
                 QString("s1 is on none of the hosts present (a, c); it was written on b or c: start with one "
                         "of them, if its disk still has the run"));
    }

    void isNotSureOfShardsThatCannotBeRead()
    {
        StoreInventory a{"a", {}, {stored(8, "h", {"s0"})}};
        a.checkpoints.front().unreadable = "cannot open s1: Permission denied";
        const CheckpointHealth health = healthOver({a}, manifestOf({"s0", "s1"}), "h");
        QCOMPARE(health.state, CheckpointState::Unreadable);
        QVERIFY(health.reason.find("Permission denied") != std::string::npos);
    }

    /// The others publish before the head does, and every host has prepared its part by then.
    void finishesAPublicationThatAHostHasBegun()
    {
        const StoreInventory head{"a", {}, {stored(4, "old"), stored(8, "new", {"s0"}, false)}};
        const StoreInventory other{"b", {}, {stored(4, "old"), stored(8, "new", {"s1"})}};
        QCOMPARE(unfinishedPublications(head, {head, other}), std::vector{stepName(8)});
        QVERIFY(unfinishedPublications(other, {head, other}).empty());
        const auto after = afterPublications({head, other});
        QVERIFY(after.front().find("new") != nullptr);

        const StoreInventory prepared{"b", {}, {stored(4, "old"), stored(8, "new", {"s1"}, false)}};
        QVERIFY(unfinishedPublications(head, {head, prepared}).empty());
        QCOMPARE(afterPublications({head, prepared}), (std::vector<StoreInventory>{head, prepared}));
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
        QVERIFY(unknownToHead({head, other}).empty());
        QCOMPARE(commonRecord({head, other}), head.record);
        QCOMPARE(textOf(renamesToFollow(other, head)), std::string("step-000000008 -> step-000000008.line-1\n"));
    }

    void takesTheHistoryOfOthersWhereTheHeadHasNone()
    {
        StoreInventory other{"b", {}, {stored(8, "new")}};
        other.record.lines.push_back({2, 1, 4});
        const StoreInventory blank{"a", {}, {}};
        QCOMPARE(commonRecord({blank, other}), other.record);
        QCOMPARE(unknownToHead({blank, other}).size(), std::size_t(1));
    }

    void takesTheNamesOfTheHeadByContent()
    {
        StoreInventory head{"a", {}, {stored(4, "x"), stored(8, "y"), stored(8, "z")}};
        head.checkpoints[1].name = stepName(8, 1);
        const StoreInventory same{"b", {}, {stored(4, "x"), stored(8, "y")}};
        QCOMPARE(textOf(renamesToFollow(same, head)), std::string("step-000000008 -> step-000000008.line-1\n"));

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
        StoreInventory inventory{"a host", {"step-000000008", {{1, 0, 0}, {2, 1, 4}}}, {}};
        inventory.checkpoints.push_back(stored(8, "h", {"s0", "s1"}, false));
        inventory.checkpoints.back().unreadable = "why";
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
        QCOMPARE(inventory->checkpoints[0].shards, std::vector<std::string>{"shard-0000-of-0002.safetensors"});
        QVERIFY(!inventory->checkpoints[1].isPublished);
        QCOMPARE(inventory->checkpoints[1].shards.size(), std::size_t(2));

        QVERIFY(finishPublications(folder, {stepName(8)}).ok());
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
        QVERIFY(fs::exists(folder / "step-000000008.damaged"));
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
