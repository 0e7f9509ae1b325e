#include <QTemporaryDir>
#include <QTest>

#include <fstream>
#include <map>

#include "datasets/prepare/document_part.h"
#include "datasets/prepare/preparation.h"
#include "engine/base/file.h"
#include "engine/base/hash.h"

using namespace trainyard;

namespace fs = std::filesystem;

namespace {

constexpr const char* kWords[] = {"engine", "wagon", "bridge", "river", "town", "signal", "track", "station"};

/// A sentence that no other part has: its number decides about its words.
std::string sentence(int number)
{
    std::string text = "The";
    for (int i = 0; i < 6; ++i)
        text +=
            std::string(" ") + kWords[static_cast<std::size_t>(number * 7 + i * i * (number % 5 + 1)) % 8];
    return text + ".";
}

std::string paragraph(int from)
{
    std::string text;
    for (int i = 0; i < 8; ++i)
        text += sentence(from + i) + " ";
    return text;
}

/// All files of a data set by name, with their hashes.
std::map<std::string, std::string> hashesIn(const fs::path& folder)
{
    std::map<std::string, std::string> hashes;
    for (const auto& entry : fs::directory_iterator(folder))
        hashes[entry.path().filename()] = sha256OfFile(entry.path()).value();
    return hashes;
}

} // namespace

/// A corpus that is read in parts gives what it gives in one reading.
class TestDocumentPart : public QObject {
    Q_OBJECT

private slots:
    void init()
    {
        m_dir = std::make_unique<QTemporaryDir>();
        std::string vocabulary;
        for (const char* piece : {"[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]", "the", "."})
            vocabulary += std::string(piece) + "\n";
        for (const char* word : kWords)
            vocabulary += std::string(word) + "\n";
        write("vocab.txt", vocabulary);
        // Pages have ids of their own, the documents of the other files are numbered, and some are empty.
        write("a.xml", dump(1, 20));
        write("b.jsonl", lines(20, 20));
        write("c.xml", dump(100, 10));
        write("d.jsonl", lines(400, 20));
    }

    void warnsOfAVocabularyThatDoesNotFit_data()
    {
        QTest::addColumn<QByteArray>("words");
        QTest::addColumn<bool>("cased");
        QTest::addColumn<qulonglong>("unknown");
        QTest::addColumn<QStringList>("warnings");
        QTest::addRow("uncased") << QByteArray("the\nrail\n.\n") << false << 0ull << QStringList{};
        QTest::addRow("cased text, uncased words") << QByteArray("the\nrail\n.\n") << true << 2ull
                                                   << QStringList{"vocabulary-case", "unknown-tokens"};
        QTest::addRow("cased") << QByteArray("The\nrail\n.\nthe\n") << true << 0ull << QStringList{};
        QTest::addRow("uncased text, cased words")
            << QByteArray("The\nrail\n.\nthe\n") << false << 0ull << QStringList{"vocabulary-case"};
        QTest::addRow("every twentieth token") << QByteArray("the\n.\n") << false << 1ull << QStringList{};
    }
    void warnsOfAVocabularyThatDoesNotFit()
    {
        QFETCH(QByteArray, words);
        QFETCH(bool, cased);
        write("vocab.txt", "[PAD]\n[UNK]\n[CLS]\n[SEP]\n[MASK]\n" + words.toStdString());
        write("e.jsonl", "{\"text\": \"The rail the the the the the the the.\"}\n"
                         "{\"text\": \"The the the the the the the the the.\"}\n");
        PrepareOptions asked = options("part", {"e.jsonl"}, {});
        asked.cased = cased;
        Progress progress;
        const auto part = prepareDocuments(asked, progress, m_cancel);
        QVERIFY2(part.ok(), part.ok() ? "" : part.error().text().c_str());
        QCOMPARE(part->corpus.documents.tokens, std::uint64_t(20));
        QTEST(static_cast<qulonglong>(part->corpus.counters.at("unknown_tokens")), "unknown");
        QStringList warnings;
        for (const EventRecord& event : progress.takeEvents())
            warnings << QString::fromStdString(event.kind);
        QTEST(warnings, "warnings");
    }

    void theJoinedPartsAreTheWhole_data()
    {
        QTest::addColumn<std::vector<std::string>>("first");
        QTest::addColumn<std::vector<std::string>>("second");
        using Names = std::vector<std::string>;
        QTest::addRow("two and two") << Names{"a.xml", "b.jsonl"} << Names{"c.xml", "d.jsonl"};
        QTest::addRow("one and three") << Names{"a.xml"} << Names{"b.jsonl", "c.xml", "d.jsonl"};
        QTest::addRow("three and one") << Names{"a.xml", "b.jsonl", "c.xml"} << Names{"d.jsonl"};
    }
    void theJoinedPartsAreTheWhole()
    {
        QFETCH(std::vector<std::string>, first);
        QFETCH(std::vector<std::string>, second);
        auto files = first;
        files.insert(files.end(), second.begin(), second.end());
        QVERIFY(make("whole", files, {}).ok());
        QVERIFY(makePart("1.documents", first).ok());
        QVERIFY(makePart("2.documents", second).ok());
        const auto joined = make("joined", {}, {"1.documents", "2.documents"});
        QVERIFY2(joined.ok(), joined.ok() ? "" : joined.error().text().c_str());
        QCOMPARE(hashesIn(path("joined")), hashesIn(path("whole")));
        QVERIFY(make("turned", {}, {"2.documents", "1.documents"}).ok());
        QVERIFY(hashesIn(path("turned")) != hashesIn(path("whole"))); // the order is that of the corpus
    }

    void aPartThatCanOnlyBeReadIsJoined()
    {
        QVERIFY(makePart("1.documents", {"a.xml"}).ok());
        for (const auto& entry : fs::directory_iterator(path("1.documents")))
            fs::permissions(entry.path(), fs::perms::owner_read);
        QVERIFY(make("joined", {}, {"1.documents"}).ok());
    }

    void partsOfOtherSettingsAreRefused()
    {
        PrepareOptions cased = options("1.documents", {"a.xml"}, {});
        cased.cased = true;
        QVERIFY(prepareDocuments(cased, m_progress, m_cancel).ok());
        const auto joined = make("joined", {}, {"1.documents"});
        QCOMPARE(joined.error().kind, ErrorKind::BadInput);
        QVERIFY2(joined.error().message.find("--cased") != std::string::npos, joined.error().message.c_str());
        QVERIFY(!fs::exists(path("joined")));
    }

    void aDamagedPartIsRefused_data()
    {
        QTest::addColumn<QString>("file");
        QTest::addRow("content") << "documents";
        QTest::addRow("index") << "documents.index";
        QTest::addRow("description") << DocumentPart::kFileName;
    }
    void aDamagedPartIsRefused()
    {
        QFETCH(QString, file);
        QVERIFY(makePart("1.documents", {"a.xml"}).ok());
        const fs::path damaged = path("1.documents") / file.toStdString();
        std::string bytes = readFile(damaged).value();
        bytes[bytes.size() / 2] = static_cast<char>(bytes[bytes.size() / 2] ^ 1);
        std::ofstream(damaged, std::ios::binary) << bytes;
        const auto joined = make("joined", {}, {"1.documents"});
        QVERIFY(!joined.ok());
        QVERIFY2(joined.error().message.find(path("1.documents").string()) != std::string::npos,
                 joined.error().message.c_str());
        QVERIFY(!fs::exists(path("joined")));
    }

    void whatIsNoPartIsSaid()
    {
        const auto joined = make("joined", {}, {"nothing"});
        QCOMPARE(joined.error().kind, ErrorKind::BadInput);
        QVERIFY(joined.error().message.find("documents.json") != std::string::npos);
        QVERIFY(!make("joined", {"a.xml"}, {"nothing"}).ok()); // files and parts together mean nothing
        QVERIFY(!makePart("1.documents", {"missing.xml"}).ok());
        QVERIFY(!fs::exists(path("1.documents")));
    }

private:
    fs::path path(const std::string& name) const
    {
        return m_dir->filePath(QString::fromStdString(name)).toStdString();
    }
    void write(const std::string& name, const std::string& content) const
    {
        QVERIFY(writeFileAtomically(path(name), content).ok());
    }

    static std::string dump(int firstId, int pages)
    {
        std::string text = "<mediawiki>\n";
        for (int id = firstId; id < firstId + pages; ++id)
            text += "<page><title>P" + std::to_string(id) + "</title><ns>0</ns><id>" + std::to_string(id) +
                    "</id><revision><text>" + (id % 6 == 0 ? "" : paragraph(id * 11)) +
                    "</text></revision></page>\n";
        return text + "</mediawiki>\n";
    }
    static std::string lines(int from, int count)
    {
        std::string text;
        for (int i = 0; i < count; ++i)
            text += "{\"text\": \"" + (i % 5 == 2 ? std::string() : paragraph(from + i * 13)) + "\"}\n";
        return text;
    }

    PrepareOptions options(const std::string& out, const std::vector<std::string>& files,
                           const std::vector<std::string>& parts) const
    {
        PrepareOptions options;
        for (const std::string& file : files)
            options.dumps.push_back(path(file));
        for (const std::string& part : parts)
            options.parts.push_back(path(part));
        options.vocabulary = path("vocab.txt");
        options.out = path(out);
        options.shapes = {{32, 5}};
        options.dupeFactor = 2;
        options.trainingShards = 2;
        options.testShards = 1;
        options.testFraction = 0.2;
        options.threads = 2;
        return options;
    }
    Result<std::vector<PreparedDataset>> make(const std::string& out, const std::vector<std::string>& files,
                                              const std::vector<std::string>& parts)
    {
        Progress progress;
        return prepareDataset(options(out, files, parts), progress, m_cancel);
    }
    Result<DocumentPart> makePart(const std::string& out, const std::vector<std::string>& files)
    {
        Progress progress;
        return prepareDocuments(options(out, files, {}), progress, m_cancel);
    }

    std::unique_ptr<QTemporaryDir> m_dir;
    Progress m_progress;
    CancelFlag m_cancel;
};

QTEST_GUILESS_MAIN(TestDocumentPart)
#include "tst_document_part.moc"
