#include <QTemporaryDir>
#include <QTest>

#include "engine/base/file.h"
#include "engine/checkpoint/format/checkpoint_writer.h"
#include "engine/checkpoint/format/prepare_start.h"
#include "engine/checkpoint/format/store_agreement.h"
#include "engine/checkpoint/format/store_folder.h"
#include "tests/auto/checkpoint/hosts_checkpoints.h"
#include "tests/support/checkpoint/small_checkpoint.h"

using namespace trainyard;
namespace fs = std::filesystem;

/// What becomes of one host's folder when several hosts have a run's checkpoints.
class TestStoreFolder : public QObject {
    Q_OBJECT

private slots:
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

QTEST_APPLESS_MAIN(TestStoreFolder)
#include "tst_store_folder.moc"
