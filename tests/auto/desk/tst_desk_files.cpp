#include <algorithm>
#include <functional>

#include <QDir>
#include <QFile>
#include <QTemporaryDir>
#include <QTest>

#include <nlohmann/json.hpp>

#include "app/alerts/alert_settings.h"
#include "app/data/model/data_set_list_model.h"
#include "app/designer/model/spec_document.h"
#include "app/hosts/model/host_store.h"
#include "app/plan/hardware_library.h"
#include "app/runs/recorded_run.h"
#include "app/runs/series_cache.h"
#include "engine/planner/hardware/hardware_presets.h"
#include "remote/target/desk_file.h"
#include "remote/target/keyring_index.h"
#include "tests/support/file_content.h"
#include "tests/support/sample_run/sample_run.h"

using namespace trainyard;
using trainyard::support::contentOf;

namespace {

const QString kInMemory = QStringLiteral("/dev/shm/trainyard-desk-XXXXXX"); ///< hundreds of files are synced

using FileAction = Status (*)(const std::filesystem::path& file);

/// A file that the desk keeps, by what reads and what writes it.
struct DeskStore {
    QString name;
    FileAction load;
    FileAction save;
    bool hasVersion = true;
    bool isList = false; ///< of version 1, without a number
};

template <typename Value>
Status statusOf(const Result<Value>& result)
{
    return result.ok() ? Status() : Status(result.error());
}

Status saveDataSets(const std::filesystem::path& file)
{
    DataSetListModel list;
    DataSetEntry entry;
    entry.name = "wiki-128";
    entry.host = "localhost";
    entry.folder = "/data/wiki-128";
    entry.paddingShare = 0.25;
    list.put(entry);
    return list.save(file);
}

/// A session in which the design is changed.
Status saveDesign(const std::filesystem::path& file)
{
    SpecDocument document;
    DesignDraft draft(document, file);
    const Status restored = draft.restore();
    Status saved = !restored.ok() && restored.error().kind == ErrorKind::Refused ? restored : Status();
    QObject::connect(&draft, &DesignDraft::failed, [&saved](const Error& error) { saved = error; });
    document.edit("Steps", "launch.steps", [](RunSpec& spec) { spec.launch.steps = 123; });
    return saved;
}

Status loadDesign(const std::filesystem::path& file)
{
    SpecDocument document;
    DesignDraft draft(document, file);
    return draft.restore();
}

const QList<DeskStore>& deskStores()
{
    static const QList<DeskStore> kStores{
        {"hosts.json", [](const auto& file) { return statusOf(loadHosts(file)); },
         [](const auto& file) {
             return saveHosts(file, {"gpu-01", "me@gpu-02:2222"});
         }},
        {"datasets.json", [](const auto& file) { return DataSetListModel().load(file); }, saveDataSets},
        {"alerts.json", [](const auto& file) { return statusOf(loadAlertSettings(file)); },
         [](const auto& file) {
             return saveAlertSettings(file, {{}, false});
         }},
        {"design.json", loadDesign, saveDesign},
        {"hgx-h100.json",
         [](const auto& file) { return statusOf(HardwareLibrary(file.parent_path()).find("hgx-h100")); },
         [](const auto& file) {
             return HardwareLibrary(file.parent_path()).store("hgx-h100", *nodePreset("hgx-h100"));
         },
         false},
        {"keyring.json", [](const auto& file) { return KeyringIndex(file).status(); },
         [](const auto& file) {
             KeyringIndex index(file);
             const Status first = index.add("account me@gpu-01");
             return first.ok() ? index.add("key /home/me/.ssh/id_ed25519") : first;
         },
         true, true}};
    return kStores;
}

void putContent(const QString& path, const QByteArray& content)
{
    QFile file(path);
    QVERIFY(file.open(QIODevice::WriteOnly));
    QCOMPARE(file.write(content), content.size());
}

QString failureOf(const Status& status)
{
    return status.ok() ? QString() : QString::fromStdString(status.error().text());
}

/// What a file may be found to be, made of what it is when whole.
struct FoundState {
    QString name;
    std::function<QByteArray(const QByteArray& whole)> content;
};

QByteArray nested(const char* opening, const char* closing)
{
    constexpr int kLevels = 100'000;
    return QByteArray(opening).repeated(kLevels) + '1' + QByteArray(closing).repeated(kLevels);
}

const QList<FoundState>& damagedStates()
{
    const auto always = [](const QByteArray& content) {
        return [content](const QByteArray&) { return content; };
    };
    static const QList<FoundState> kStates{
        {"empty", always({})},
        {"blank", always(" \n")},
        {"zeros, as after a power cut", always(QByteArray(4096, '\0'))},
        {"cut", [](const QByteArray& whole) { return whole.left(whole.size() / 2); }},
        {"garbage", always(QByteArray("\xff\xfe\x00\x9f\x80{\"", 7).repeated(100))},
        {"garbage behind it", [](const QByteArray& whole) { return whole + "\x01}"; }},
        {"list", always("[]")},
        {"null", always("null")},
        {"number", always("3")},
        {"text", always("\"hosts\"")},
        {"number beyond all bounds", always("{\"version\": 1e999}")},
        {"key twice",
         [](const QByteArray& whole) { return whole.left(whole.lastIndexOf('}')) + ",\"x\":1,\"x\":2}"; }},
        {"100,000 lists deep", always(nested("[", "]"))},
        {"100,000 objects deep", always(nested("{\"version\":", "}"))},
        {"100,000 lists, never closed", always(QByteArray(100'000, '['))}};
    return kStates;
}

/// Ways in which a file cannot be read, whoever reads it.
const QList<std::pair<const char*, std::function<bool(const QString& path)>>>& unreadableStates()
{
    static const QList<std::pair<const char*, std::function<bool(const QString&)>>> kStates{
        {"folder", [](const QString& path) { return QDir().mkpath(path + "/inside"); }},
        {"link to itself", [](const QString& path) { return QFile::link(path, path); }},
        {"failing disk", [](const QString& path) { return QFile::link("/proc/self/mem", path); }}};
    return kStates;
}

/// Every version of an object in which one value, however deep, is of another kind.
std::vector<nlohmann::json> oddVersions(const nlohmann::json& whole)
{
    const std::vector<nlohmann::json> kOdd{nullptr,
                                           true,
                                           -1,
                                           0.5,
                                           1e300,
                                           18446744073709551615u,
                                           "",
                                           "text\n\x1b",
                                           nlohmann::json::array(),
                                           nlohmann::json::object(),
                                           nlohmann::json::array({nlohmann::json::object()})};
    std::vector<nlohmann::json> versions;
    const nlohmann::json flat = whole.flatten();
    for (auto value = flat.begin(); value != flat.end(); ++value) {
        const nlohmann::json::json_pointer place(value.key());
        for (const nlohmann::json& odd : kOdd) {
            versions.push_back(whole);
            versions.back()[place] = odd;
        }
        for (auto above = place; !above.empty(); above = above.parent_pointer()) {
            versions.push_back(whole);
            versions.back()[above.parent_pointer()] = 7; // the object or the list that holds it
        }
    }
    return versions;
}

} // namespace

class TestDeskFiles : public QObject {
    Q_OBJECT

private slots:
    void init() { m_folder = std::make_unique<QTemporaryDir>(kInMemory); }

    void aMissingFileIsAsMadeAndIsWritten_data() { addStores(); }
    void aMissingFileIsAsMadeAndIsWritten()
    {
        const DeskStore store = fetched();
        QCOMPARE(failureOf(store.load(pathOf(store))), QString());
        QCOMPARE(failureOf(store.save(pathOf(store))), QString());
        QCOMPARE(failureOf(store.load(pathOf(store))), QString());
        QCOMPARE(failureOf(store.save(pathOf(store))), QString());
        QCOMPARE(files(), QStringList{store.name});
    }

    void damageIsNamedAndSetAsideBeforeAnotherFileIsWritten_data()
    {
        QTest::addColumn<int>("store");
        QTest::addColumn<int>("state");
        for (int store = 0; store < deskStores().size(); ++store) {
            for (int state = 0; state < damagedStates().size(); ++state) {
                if (deskStores()[store].isList && damagedStates()[state].name == "list")
                    continue; // a list without names is whole
                QTest::addRow("%s, %s", qPrintable(deskStores()[store].name),
                              qPrintable(damagedStates()[state].name))
                    << store << state;
            }
        }
    }
    void damageIsNamedAndSetAsideBeforeAnotherFileIsWritten()
    {
        QFETCH(int, state);
        const DeskStore store = fetched();
        const QByteArray damaged = damagedStates()[state].content(wholeOf(store));
        putContent(shown(store), damaged);
        const Status loaded = store.load(pathOf(store));
        expectError(loaded, store, ErrorKind::BadInput);
        QCOMPARE(files(), QStringList{store.name});
        QVERIFY(contentOf(shown(store)) == damaged);

        QCOMPARE(failureOf(store.save(pathOf(store))), QString());
        const QStringList there = files();
        QCOMPARE(there.size(), 2);
        QVERIFY2(there[1].startsWith(store.name + ".damaged-"), qPrintable(there[1]));
        QVERIFY(contentOf(m_folder->filePath(there[1])) == damaged);
        QCOMPARE(failureOf(store.load(pathOf(store))), QString());
    }

    /// Only of files that have a version: elsewhere an unknown field is damage.
    void nothingIsWrittenOverANewerVersion_data()
    {
        QTest::addColumn<int>("store");
        for (int store = 0; store < deskStores().size(); ++store) {
            if (deskStores()[store].hasVersion)
                QTest::addRow("%s", qPrintable(deskStores()[store].name)) << store;
        }
    }
    void nothingIsWrittenOverANewerVersion()
    {
        const DeskStore store = fetched();
        auto newer =
            store.isList ? nlohmann::json::object() : nlohmann::json::parse(wholeOf(store).toStdString());
        newer["version"] = 99;
        newer["unheard of"] = {1, 2, 3};
        const auto content = QByteArray::fromStdString(newer.dump());
        putContent(shown(store), content);
        expectError(store.load(pathOf(store)), store, ErrorKind::Refused);
        expectError(store.save(pathOf(store)), store, ErrorKind::Refused);
        QCOMPARE(files(), QStringList{store.name});
        QVERIFY(contentOf(shown(store)) == content);
    }

    void nothingIsWrittenOverWhatCannotBeRead_data()
    {
        QTest::addColumn<int>("store");
        QTest::addColumn<int>("state");
        for (int store = 0; store < deskStores().size(); ++store) {
            for (int state = 0; state < unreadableStates().size(); ++state)
                QTest::addRow("%s, %s", qPrintable(deskStores()[store].name), unreadableStates()[state].first)
                    << store << state;
        }
    }
    void nothingIsWrittenOverWhatCannotBeRead()
    {
        QFETCH(int, state);
        const DeskStore store = fetched();
        QVERIFY(unreadableStates()[state].second(shown(store)));
        expectError(store.load(pathOf(store)), store, ErrorKind::Refused);
        expectError(store.save(pathOf(store)), store, ErrorKind::Refused);
        QCOMPARE(files(), QStringList{store.name});
    }

    void aFileCutAnywhereIsDamaged_data() { addStores(); }
    void aFileCutAnywhereIsDamaged()
    {
        const DeskStore store = fetched();
        const QByteArray whole = wholeOf(store).trimmed();
        for (qsizetype length = 0; length < whole.size(); ++length) {
            putContent(shown(store), whole.left(length));
            const Status loaded = store.load(pathOf(store));
            QVERIFY2(!loaded.ok(), qPrintable(QString::number(length)));
            QCOMPARE(loaded.error().kind, ErrorKind::BadInput);
        }
    }

    void aValueOfAnotherKindIsNamedOrTaken_data() { addStores(); }
    void aValueOfAnotherKindIsNamedOrTaken()
    {
        const DeskStore store = fetched();
        int refusals = 0;
        for (const nlohmann::json& odd : oddVersions(nlohmann::json::parse(wholeOf(store).toStdString()))) {
            putContent(shown(store), QByteArray::fromStdString(odd.dump()));
            const Status loaded = store.load(pathOf(store));
            refusals += !loaded.ok();
            if (!loaded.ok())
                expectError(loaded, store, loaded.error().kind);
        }
        QVERIFY(refusals > 10);
    }

    void namesTheFieldThatIsWrong()
    {
        putContent(m_folder->filePath("hosts.json"), R"({"version": 1, "hosts": [3]})");
        putContent(m_folder->filePath("datasets.json"), R"({"version": 1, "data_sets": [{"name": 3}]})");
        putContent(m_folder->filePath("alerts.json"), R"({"notifies": "yes"})");
        QVERIFY(failureOf(deskStores()[0].load(pathOf(deskStores()[0]))).contains("hosts"));
        QVERIFY(failureOf(deskStores()[1].load(pathOf(deskStores()[1]))).contains("data_sets[0].name"));
        QVERIFY(failureOf(deskStores()[2].load(pathOf(deskStores()[2]))).contains("notifies"));
    }

    void theKeyringsListKeepsWhatAnotherWindowAdds()
    {
        const std::filesystem::path file = m_folder->filePath("keyring.json").toStdString();
        KeyringIndex ours(file);
        QVERIFY(KeyringIndex(file).add("theirs").ok());
        QVERIFY(ours.add("ours").ok());
        QVERIFY(KeyringIndex(file).contains("theirs") && KeyringIndex(file).contains("ours"));
    }

    void nothingIsWrittenToADamagedListOfTheKeyringForANameNotInIt()
    {
        putContent(m_folder->filePath("keyring.json"), "[\"key /home/me");
        KeyringIndex index(m_folder->filePath("keyring.json").toStdString());
        QVERIFY(index.remove("key /home/me/.ssh/id_ed25519").ok());
        QCOMPARE(files(), QStringList{"keyring.json"});
        QCOMPARE(contentOf(m_folder->filePath("keyring.json")), QByteArray("[\"key /home/me"));
    }

    void setsAsideUnderANameThatIsFree()
    {
        const std::filesystem::path file = m_folder->filePath("hosts.json").toStdString();
        for (const char* content : {"first", "second", "third"}) {
            putContent(m_folder->filePath("hosts.json"), content);
            QVERIFY(setAside(file).ok());
        }
        QCOMPARE(files().size(), 3);
    }

    void anyFileOfARunMayBeAnythingAndNothingCrashes_data()
    {
        QTest::addColumn<QString>("file");
        for (const char* file : {"spec.json", "host.json", "inventory.json", "dataset.json", "run.json",
                                 "attempts/0002.json", "journal/steps", "journal/run", "series"})
            QTest::addRow("%s", file) << file;
    }
    /// Of a run's folder every file may be missing; what is wrong is told with its name, or read anew
    /// elsewhere.
    void anyFileOfARunMayBeAnythingAndNothingCrashes()
    {
        QFETCH(QString, file);
        support::SampleRun sample;
        sample.steps = sample.reached = 5;
        const QString run = support::writeSampleRun(m_folder->path(), sample);
        QVERIFY(rebuildSeriesCache(run).ok());
        QVERIFY(QDir(run).mkpath("attempts"));
        const QString path = run + '/' + file;
        const QByteArray whole =
            contentOf(path).isEmpty() ? QByteArray("{\"nodes\": [{\"host\": \"a\"}]}") : contentOf(path);
        for (const FoundState& state : damagedStates()) {
            QFile::remove(path);
            putContent(path, state.content(whole));
            const auto read = readRunFolder(run);
            QVERIFY2(read.ok() || read.error().message.find(run.toStdString()) != std::string::npos,
                     qPrintable(state.name + ": " + failureOf(statusOf(read))));
        }
        for (const auto& [name, make] : unreadableStates()) {
            QFile::remove(path);
            QVERIFY(make(path));
            const auto read = readRunFolder(run);
            QVERIFY2(read.ok() || read.error().message.find(run.toStdString()) != std::string::npos, name);
            QDir(path + "/inside").removeRecursively();
            QDir().rmdir(path);
        }
    }

private:
    static void addStores()
    {
        QTest::addColumn<int>("store");
        for (int store = 0; store < deskStores().size(); ++store)
            QTest::addRow("%s", qPrintable(deskStores()[store].name)) << store;
    }
    static DeskStore fetched()
    {
        QFETCH(int, store);
        return deskStores()[store];
    }
    QString shown(const DeskStore& store) const { return m_folder->filePath(store.name); }
    std::filesystem::path pathOf(const DeskStore& store) const { return shown(store).toStdString(); }
    QStringList files() const
    {
        return QDir(m_folder->path())
            .entryList(QDir::AllEntries | QDir::System | QDir::Hidden | QDir::NoDotAndDotDot, QDir::Name);
    }
    /// What the store itself writes.
    static QByteArray wholeOf(const DeskStore& store)
    {
        const QTemporaryDir elsewhere(kInMemory);
        const QString file = elsewhere.filePath(store.name);
        return store.save(file.toStdString()).ok() ? contentOf(file) : QByteArray();
    }
    /// Names the file and a fix, in words of ours.
    void expectError(const Status& status, const DeskStore& store, ErrorKind kind) const
    {
        QVERIFY(!status.ok());
        const QString text = failureOf(status);
        QVERIFY2(status.error().kind == kind, qPrintable(text));
        QVERIFY2(text.contains(shown(store)), qPrintable(text));
        QVERIFY2(!status.error().hint.empty(), qPrintable(text));
        QVERIFY2(!text.contains("json.exception") && text.size() < 3000, qPrintable(text));
    }

    std::unique_ptr<QTemporaryDir> m_folder;
};

QTEST_GUILESS_MAIN(TestDeskFiles)
#include "tst_desk_files.moc"
