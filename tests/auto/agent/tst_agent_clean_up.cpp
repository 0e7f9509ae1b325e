#include <QProcess>
#include <QTemporaryDir>
#include <QTest>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "engine/base/hash.h"
#include "remote/agent/store/bundle_store.h"
#include "remote/agent/store/clean_up.h"
#include "remote/agent/store/full_clean_up.h"
#include "remote/agent/store/part_file.h"

using namespace trainyard;
using namespace trainyard::agent;
namespace fs = std::filesystem;

namespace {

constexpr std::chrono::hours kLong{24 * 40};

void makeOld(const fs::path& path, std::chrono::seconds age = kLong)
{
    const timespec time{::time(nullptr) - age.count(), 0};
    const timespec both[] = {time, time};
    QCOMPARE(::utimensat(AT_FDCWD, path.c_str(), both, AT_SYMLINK_NOFOLLOW), 0);
}

QStringList namesOf(const CleanUpPlan& plan)
{
    QStringList names;
    for (const Leftover& entry : plan.leftovers)
        names << QString::fromStdString(entry.name);
    names.sort();
    return names;
}

} // namespace

/// What a deployment leaves behind goes when nobody needs it, and nothing else ever.
class TestAgentCleanUp : public QObject {
    Q_OBJECT

private slots:
    void init()
    {
        m_dir = std::make_unique<QTemporaryDir>();
        m_root = fs::path(m_dir->path().toStdString()) / "root";
        QVERIFY(makeFolder(m_root).ok());
    }

    void removesOldBundlesWithTheirFiles()
    {
        const std::string old = bundle({{"bin/a", "shared"}, {"lib/b", "only in the old one"}});
        QTest::qWait(2100); // the time of a file's last use cannot be set back
        CleanUpRules rules;
        rules.unusedFor = std::chrono::seconds(1);
        std::string present;
        CleanUpPlan plan;
        std::time_t made = 0;
        do { // until both are done within one second, however busy the machine is
            made = ::time(nullptr);
            present = bundle({{"bin/a", "shared"}, {"lib/c", "only in the present one"}});
            plan = planCleanUp(m_root, rules).value();
        } while (::time(nullptr) != made);
        QCOMPARE(namesOf(plan),
                 QStringList({QString::fromStdString("bundles/" + old), shelfOf("only in the old one")}));
        QCOMPARE(plan.kept.size(), std::size_t{1});
        QCOMPARE(plan.kept[0].id, present);
        QVERIFY(fs::exists(m_root / "bundles" / old)); // it only looked
        QCOMPARE(cleanUp(m_root, plan).value(), std::uint64_t{std::string("only in the old one").size()});
        QVERIFY(!fs::exists(m_root / "bundles" / old));
        QVERIFY(!BlobStore(m_root).verifyOrRemove(sha256Hex("only in the old one")));
        QCOMPARE(readFile(m_root / "bundles" / present / "bin/a").value(), std::string("shared"));
        QVERIFY(BlobStore(m_root).verifyOrRemove(sha256Hex("shared")));
        QCOMPARE(namesOf(planned()), QStringList());
    }

    void keepsWhatARunWasStartedWith_data()
    {
        QTest::addColumn<QString>("file");
        QTest::addRow("the inventory of a node") << "inventory.json";
        QTest::addRow("an attempt on the head") << "attempts/0001.json";
    }
    void keepsWhatARunWasStartedWith()
    {
        QFETCH(QString, file);
        const std::string id = bundle({{"bin/a", "program"}});
        makeOld(m_root / "bundles" / id);
        const fs::path words = m_root / "runs/some-run" / file.toStdString();
        QVERIFY(makeFolder(words.parent_path()).ok());
        QVERIFY(writeFileAtomically(words, "{\"bundle\": \"" + id + "\"}").ok());
        const CleanUpPlan plan = planned();
        QCOMPARE(namesOf(plan), QStringList());
        QVERIFY(plan.kept.at(0).reason.find("some-run") != std::string::npos);
        fs::remove_all(m_root / "runs");
        QCOMPARE(namesOf(planned()), QStringList(QString::fromStdString("bundles/" + id)));
    }

    void removesOldPartsThatNobodyHolds()
    {
        BlobStore store(m_root);
        const std::string hash = sha256Hex("wanted");
        QVERIFY(store.makeFolderFor(hash).ok());
        auto part = PartFile::open(store, {hash, 2'000'000, 0}).value();
        QVERIFY(part->append(std::string(1'500'000, 'x')).ok());
        makeOld(store.partial(hash));
        makeOld(store.sums(hash), std::chrono::hours(1));
        QCOMPARE(namesOf(planned()), QStringList()); // it is being written
        part.reset();
        makeOld(store.partial(hash));
        makeOld(store.sums(hash));
        QCOMPARE(namesOf(planned()).size(), 2);
        QVERIFY(cleanUp(m_root, planned()).value() >= 1'500'000);
        QVERIFY(!fs::exists(store.partial(hash)) && !fs::exists(store.sums(hash)));
    }

    void aBundleThatIsNeededAgainMeanwhileStays()
    {
        const std::string id = bundle({{"bin/a", "program"}});
        makeOld(m_root / "bundles" / id);
        const CleanUpPlan plan = planned();
        QCOMPARE(bundle({{"bin/a", "program"}}), id);
        QCOMPARE(cleanUp(m_root, plan).value(), std::uint64_t{0});
        QCOMPARE(readFile(m_root / "bundles" / id / "bin/a").value(), std::string("program"));
    }

    /// Whoever puts a link where a folder was cannot lead the clean-up out of the agent's folder.
    void followsNoLinkOut_data()
    {
        QTest::addColumn<QString>("link");
        QTest::addRow("the folder of bundles") << "bundles";
        QTest::addRow("a bundle") << "bundles/" + QString(64, 'a');
        QTest::addRow("the store") << "cas";
        QTest::addRow("a shelf of the store") << "cas/aa";
        QTest::addRow("the folder of agents") << "agents";
        QTest::addRow("an agent") << "agents/" + QString(64, 'a');
    }
    void followsNoLinkOut()
    {
        QFETCH(QString, link);
        const fs::path outside = m_root.parent_path() / "outside";
        const fs::path inner = outside / std::string(64, 'a');
        QVERIFY(makeFolder(inner).ok());
        QVERIFY(writeFileAtomically(inner / "file", "precious").ok());
        QVERIFY(writeFileAtomically(outside / (std::string(64, 'b') + ".part"), "precious").ok());
        for (const auto& entry : fs::recursive_directory_iterator(outside))
            makeOld(entry.path());
        const fs::path place = m_root / link.toStdString();
        QVERIFY(makeFolder(place.parent_path()).ok());
        fs::create_directory_symlink(outside, place);
        makeOld(place);
        const CleanUpPlan plan = planned();
        QVERIFY(cleanUp(m_root, plan).ok());
        QCOMPARE(namesOf(plan), QStringList());
        QCOMPARE(readFile(inner / "file").value(), std::string("precious"));
        QVERIFY(fs::exists(outside / (std::string(64, 'b') + ".part")));
    }

    /// The plan is the agent's own, but what it names may have become a link since.
    void aFolderThatBecomesALinkAfterThePlanIsLeft()
    {
        const std::string id = bundle({{"bin/a", "program"}});
        makeOld(m_root / "bundles" / id);
        const CleanUpPlan plan = planned();
        QCOMPARE(plan.leftovers.size(), std::size_t{1});
        const fs::path moved = m_root.parent_path() / "moved";
        fs::rename(m_root / "bundles", moved);
        fs::create_directory_symlink(moved, m_root / "bundles");
        QCOMPARE(cleanUp(m_root, plan).value(), std::uint64_t{0});
        QCOMPARE(readFile(moved / id / "bin/a").value(), std::string("program"));
    }

    void removesAgentsThatNoDeskStartsAnyMore()
    {
        const QString old = agent('a'), fresh = agent('b'), running = agent('c');
        makeOld(m_root / old.toStdString());
        makeOld(m_root / running.toStdString());
        QProcess run;
        run.start(QString::fromStdString(m_root / running.toStdString() / "trainyard-agent"), {"600"});
        QVERIFY(run.waitForStarted());
        const CleanUpPlan plan = planned();
        QCOMPARE(namesOf(plan), QStringList(old));
        QVERIFY(cleanUp(m_root, plan).value() > 0);
        QVERIFY(!fs::exists(m_root / old.toStdString()));
        QVERIFY(fs::exists(m_root / running.toStdString()) && fs::exists(m_root / fresh.toStdString()));
        run.kill();
        QVERIFY(run.waitForFinished());
        QCOMPARE(namesOf(planned()), QStringList(running));
    }

    void removesWhatAnInterruptedRemovalLeft_data()
    {
        QTest::addColumn<QString>("place");
        QTest::addRow("of a bundle") << "bundles/";
        QTest::addRow("of an agent") << "agents/";
        QTest::addRow("of a data set") << "data/";
    }
    void removesWhatAnInterruptedRemovalLeft()
    {
        QFETCH(QString, place);
        const QString hidden = place + '.' + QString(64, 'a') + ".removed-17";
        const fs::path folder = m_root / hidden.toStdString();
        QVERIFY(makeFolder(folder).ok());
        QVERIFY(writeFileAtomically(folder / "file", "content").ok());
        QCOMPARE(namesOf(planned()), QStringList()); // it may be at work still
        makeOld(folder);
        QCOMPARE(namesOf(planned()), QStringList(hidden));
        QVERIFY(cleanUp(m_root, planned()).ok());
        QVERIFY(!fs::exists(folder));
    }

    /// Its hard links would keep every blob of it for ever.
    void removesAHalfMadeDataSet()
    {
        const std::string hash = sha256Hex("rows");
        const fs::path blob = BlobStore(m_root).blob(hash),
                       half = m_root / "data" / (".wiki" + temporarySuffix());
        const fs::path whole = m_root / "data" / "wiki-0123456789ab";
        QVERIFY(makeFolder(blob.parent_path()).ok() && writeFileAtomically(blob, "rows").ok());
        for (const fs::path& folder : {half, whole}) {
            QVERIFY(makeFolder(folder).ok());
            fs::create_hard_link(blob, folder / "train.hdf5");
            makeOld(folder);
        }
        QCOMPARE(namesOf(planned()), QStringList("data/" + QString::fromStdString(half.filename().string())));
        QVERIFY(cleanUp(m_root, planned()).ok());
        QVERIFY(!fs::exists(half));
        QCOMPARE(fs::hard_link_count(blob), std::uintmax_t{2}); // of the store and of the whole data set
    }

    void keepsAllAgentsWhileARunLivesElsewhere()
    {
        makeOld(m_root / agent('a').toStdString());
        CleanUpRules rules;
        rules.keepAgents = true;
        QCOMPARE(namesOf(planCleanUp(m_root, rules).value()), QStringList());
        QCOMPARE(namesOf(planned()).size(), 1);
    }

    void keepsAnAgentThatIsStartedAfterThePlan()
    {
        const fs::path folder = m_root / agent('a').toStdString();
        makeOld(folder);
        const CleanUpPlan plan = planned();
        QCOMPARE(plan.leftovers.size(), std::size_t{1});
        markAgentUsed(m_root, folder / "trainyard-agent");
        QCOMPARE(cleanUp(m_root, plan).value(), std::uint64_t{0});
        QVERIFY(fs::exists(folder / "trainyard-agent"));
        makeOld(folder);
        markAgentUsed(m_root / "elsewhere", folder / "trainyard-agent"); // a program of another folder
        QCOMPARE(planned().leftovers.size(), std::size_t{1});
    }

    void everythingIsAllButRunsAndDataSets()
    {
        const std::string id = bundle({{"bin/a", "program"}});
        const fs::path blob = BlobStore(m_root).blob(sha256Hex("rows"));
        QVERIFY(makeFolder(blob.parent_path()).ok() && writeFileAtomically(blob, "rows").ok());
        QVERIFY(makeFolder(m_root / "data/wiki-0123456789ab").ok());
        fs::create_hard_link(blob, m_root / "data/wiki-0123456789ab/train.hdf5");
        for (const std::string& file :
             {std::string("data/wiki-0123456789ab/manifest.json"), std::string("data/.books.tmp-9/rows"),
              std::string("runs/r1/inventory.json"), std::string("runs/.r2.removed-17/checkpoints/model"),
              "marks/" + std::string(32, 'a'), std::string("devices.lock"), std::string("on-boot.lock"),
              std::string("on-boot"), std::string(".known_hosts-17-1"), std::string("..crontab.tmp-17-0"),
              "bundles/" + id + ".tmp-17-0", "cas/aa/." + std::string(64, 'a') + ".tmp-17-0"}) {
            QVERIFY(makeFolder((m_root / file).parent_path()).ok());
            QVERIFY(writeFileAtomically(m_root / file, id).ok()); // r1 was started with the bundle
        }
        agent('a');
        const CleanUpPlan plan = wholePlan();
        QVERIFY(plan.kept.empty());
        QCOMPARE(remaindersOf(plan), QStringList({"data-set wiki-0123456789ab", "run r1"}));
        QVERIFY(cleanUp(m_root, plan).ok());
        removeEmptyFolders(m_root);
        QCOMPARE(remaindersOf({}), QStringList({"data-set wiki-0123456789ab", "run r1"}));
        QVERIFY(!fs::exists(m_root / "bundles") && !fs::exists(m_root / "agents"));
        QVERIFY(!fs::exists(m_root / "marks") && !fs::exists(m_root / "on-boot"));
        QVERIFY(fs::exists(blob)); // else the data set would be sent again as a whole
        QVERIFY(fs::exists(m_root / "runs/r1/inventory.json"));
    }

    void anEmptiedFolderGoes_data()
    {
        QTest::addColumn<bool>("isLinked");
        QTest::addRow("made by us") << false;
        QTest::addRow("put elsewhere by the user") << true;
    }
    void anEmptiedFolderGoes()
    {
        QFETCH(bool, isLinked);
        const QByteArray home = qgetenv("HOME");
        qputenv("HOME", m_dir->path().toUtf8());
        if (isLinked)
            fs::create_directory_symlink(m_root, m_root.parent_path() / ".trainyard");
        bundle({{"bin/a", "program"}});
        agent('a');
        const bool cleaned = cleanUp(m_root, wholePlan()).ok();
        removeEmptyFolders(m_root);
        qputenv("HOME", home);
        QVERIFY(cleaned);
        QCOMPARE(fs::exists(m_root), isLinked);
        QVERIFY(!isLinked || fs::is_empty(m_root));
    }

    void everythingKeepsAnAgentAtWorkAndStrangers()
    {
        const QString running = agent('a');
        QVERIFY(makeFolder(m_root / "bundles/notes").ok());
        QVERIFY(writeFileAtomically(m_root / "bundles/notes/mine", "mine").ok());
        QProcess run;
        run.start(QString::fromStdString(m_root / running.toStdString() / "trainyard-agent"), {"600"});
        QVERIFY(run.waitForStarted());
        const CleanUpPlan plan = wholePlan();
        const QStringList kept = remaindersOf(plan);
        run.kill();
        QVERIFY(run.waitForFinished());
        QCOMPARE(namesOf(plan), QStringList());
        QCOMPARE(kept, QStringList({"agent " + running, "other bundles/notes"}));
    }

    void saysWhatIsBeingStored()
    {
        QVERIFY(checkNothingArrives(m_root).ok());
        BlobStore store(m_root);
        const std::string hash = sha256Hex("wanted");
        auto part = PartFile::open(store, {hash, 2'000'000, 0}).value();
        QVERIFY(part->append(std::string(1'500'000, 'x')).ok());
        const Status refusal = checkNothingArrives(m_root);
        QVERIFY(!refusal.ok() && refusal.error().message.find(hash + ".part") != std::string::npos);
        part.reset(); // interrupted, however short ago
        QVERIFY(checkNothingArrives(m_root).ok());
    }

    void whatHasNoLockCountsForAMinute_data()
    {
        QTest::addColumn<QString>("file");
        QTest::addRow("a bundle") << "bundles/." + QString(64, 'a') + ".tmp-17-0/lib/b";
        QTest::addRow("a data set") << "data/.wiki-0123456789ab.tmp-17-0/train.hdf5";
        QTest::addRow("an agent") << "agents/" + QString(64, 'a') + "/.part.0123";
        QTest::addRow("an owner's file") << "cas/aa/" + QString(64, 'a') + ".part.owner.1";
    }
    void whatHasNoLockCountsForAMinute()
    {
        QFETCH(QString, file);
        const fs::path path = m_root / file.toStdString();
        QVERIFY(makeFolder(path.parent_path()).ok() && writeFileAtomically(path, "half").ok());
        QVERIFY(!checkNothingArrives(m_root).ok());
        for (fs::path at = path; at != m_root; at = at.parent_path())
            makeOld(at);
        QVERIFY(checkNothingArrives(m_root).ok());
    }

    void leavesStrangersAlone()
    {
        for (const char* name :
             {"bundles/notes", "cas/aa/readme", "agents/mine/trainyard-agent", "elsewhere/file"}) {
            QVERIFY(makeFolder((m_root / name).parent_path()).ok());
            QVERIFY(writeFileAtomically(m_root / name, "mine").ok());
            makeOld(m_root / name);
        }
        QCOMPARE(namesOf(planned()), QStringList());
    }

private:
    CleanUpPlan planned() const { return planCleanUp(m_root, {}).value(); }
    CleanUpPlan wholePlan() const
    {
        CleanUpRules rules;
        rules.everything = true;
        return planCleanUp(m_root, rules).value();
    }

    /// "run r1", in order.
    QStringList remaindersOf(const CleanUpPlan& plan) const
    {
        QStringList lines;
        for (const Remainder& entry : remainders(m_root, plan))
            lines << QString("%1 %2").arg(nameOf(entry.kind), QString::fromStdString(entry.name));
        return lines;
    }

    /// A program that sleeps, under the name of an agent of the hash "aaa...": its path below the root.
    QString agent(char digit) const
    {
        const QString name = "agents/" + QString(64, QLatin1Char(digit));
        const fs::path folder = m_root / name.toStdString();
        TRAINYARD_CHECK(makeFolder(folder).ok());
        fs::copy_file("/bin/sleep", folder / "trainyard-agent");
        return name;
    }

    QString shelfOf(const std::string& content) const
    {
        return QString::fromStdString(BlobStore(m_root).blob(sha256Hex(content)).lexically_relative(m_root));
    }

    std::string bundle(const std::vector<std::pair<std::string, std::string>>& contents) const
    {
        const BlobStore store(m_root);
        std::vector<BundleFile> files;
        for (const auto& [path, content] : contents) {
            const std::string hash = sha256Hex(content);
            auto part = PartFile::open(store, {hash, content.size(), 0}).value();
            TRAINYARD_CHECK(part->append(content).ok() && part->finish().ok());
            files.push_back({path, false, hash});
        }
        const std::string id = bundleId(files).value();
        TRAINYARD_CHECK(BundleStore(m_root).assemble(id, files).ok());
        return id;
    }

    std::unique_ptr<QTemporaryDir> m_dir;
    fs::path m_root;
};

QTEST_GUILESS_MAIN(TestAgentCleanUp)
#include "tst_agent_clean_up.moc"
