#include <QTest>

#include <random>

#include "corpus_fixture.h"
#include "datasets/input/text_documents.h"

using namespace trainyard;

namespace {

constexpr CorpusDocument::Kind kParagraphs = CorpusDocument::Kind::Paragraphs;

} // namespace

class TestCorpusFormats : public QObject {
    Q_OBJECT

private slots:
    void init() { m_folder = std::make_unique<CorpusFolder>(); }

    void readsOutputOfWikiextractor()
    {
        auto read =
            readAll("<doc id=\"12\" url=\"https://en.wikipedia.org/wiki?curid=12\" title=\"A &amp; B\">\n"
                    "A &amp; B\n\nFirst &lt;1&gt;.\n\nSecond.\n\n</doc>\n"
                    "<doc id=\"7\" url=\"\" title=\"Empty\">\nEmpty\n\n</doc>\n"
                    "<doc url=\"\" title=\"C\">\r\nC\r\nLast.\r\n</doc>");
        QVERIFY2(read.ok(), read.ok() ? "" : read.error().text().c_str());
        QCOMPARE(read->titles(), std::string("A & B Empty C "));
        QCOMPARE(read->documents[0].text, std::string("First <1>.\nSecond.\n"));
        QCOMPARE(read->documents[0].id, std::uint64_t(12));
        QVERIFY(read->documents[0].kind == kParagraphs);
        QCOMPARE(read->documents[1].text, std::string());
        QCOMPARE(read->documents[2].text, std::string("Last.\n"));
        QCOMPARE(read->documents[2].id, std::uint64_t(2));
        QCOMPARE(read->counters["documents_read"], std::uint64_t(3));
    }

    void refusesDamagedOutputOfWikiextractor()
    {
        fails("<doc id=\"1\">\nA\n\ntext\n", CorpusFormat::Auto, "no </doc>");
        fails("<doc id=\"1\" title=\"A\">\nA\n\ntext\n<doc id=\"2\" title=\"B\">\nB\n</doc>\n",
              CorpusFormat::Auto, "line 5: document 1 \"A\" has no </doc>");
        fails("<doc id=\"1\" title=\"A\">\nA\n\nte<doc id=\"2\" title=\"B\">\nB\n</doc>\n",
              CorpusFormat::Auto, "line 4: document 1 \"A\" has no </doc>");
        fails("<doc id=\"1\">\nA\n</doc>\n\nstray\n</doc>\n", CorpusFormat::Auto, "line 5");
    }

    void leavesOutTheTitleAlone_data()
    {
        QTest::addColumn<QByteArray>("document");
        QTest::addColumn<QByteArray>("title");
        QTest::addColumn<QByteArray>("text");
        const auto row = [](const char* tag, const char* lines, const char* title, const char* text) {
            QTest::addRow("%s", tag) << QByteArray("<doc id=\"1\"" + QByteArray(tag) + ">\n" + lines +
                                                   "</doc>\n")
                                     << QByteArray(title) << QByteArray(text);
        };
        row(" title=\"A &amp; B\"", "\n A &amp; B\t\n\nA & B\n", "A & B", "A & B\n");
        row(" title=\"Rail\"", "Rail transport began.\nRail\n", "Rail", "Rail transport began.\nRail\n");
        row(" title=\"The \"Rocket\" engine\"", "The \"Rocket\" engine\nx\n", "The \"Rocket\" engine", "x\n");
        row(" title=\"Rail\" lang=\"en\"", "Rail\nx\n", "Rail", "x\n");
        row("", "First.\nSecond.\n", "", "First.\nSecond.\n");
    }
    void leavesOutTheTitleAlone()
    {
        QFETCH(QByteArray, document);
        const auto read = readAll(document.toStdString());
        QVERIFY2(read.ok(), read.ok() ? "" : read.error().text().c_str());
        QTEST(QByteArray::fromStdString(read->documents.at(0).title), "title");
        QTEST(QByteArray::fromStdString(read->documents.at(0).text), "text");
    }

    void readsADocumentALine()
    {
        auto read = readAll("First text.\n\n  \nSecond text.\r\nThird", CorpusFormat::Articles);
        QCOMPARE(read->documents.size(), std::size_t(3));
        QCOMPARE(read->documents[1].text, std::string("Second text."));
        QCOMPARE(read->documents[2].text, std::string("Third"));
        QCOMPARE(read->documents[2].id, std::uint64_t(2));
        QVERIFY(read->documents[2].kind == kParagraphs);
    }

    void readsASentenceALine()
    {
        auto read = readAll("\nOne.\nTwo.\r\n\r\n\n Three.\n\nFour.", CorpusFormat::Sentences);
        QCOMPARE(read->documents.size(), std::size_t(3));
        QCOMPARE(read->documents[0].text, std::string("One.\nTwo.\n"));
        QCOMPARE(read->documents[1].text, std::string(" Three.\n"));
        QCOMPARE(read->documents[2].text, std::string("Four.\n"));
        QVERIFY(read->documents[0].kind == CorpusDocument::Kind::Sentences);
    }

    void readsLinesOfJson()
    {
        auto read = readAll("{\"id\": 5, \"title\": \"T\", \"text\": \"a\\nb \\u00fc\"}\n\n"
                            "{\"id\": \"17\", \"url\": null, \"text\": \"b\"}\n"
                            "{\"text\": \"x \\ud83d\\ude00 \\ud83d y\"}\r\n"
                            "{\"id\": \"a/b\", \"text\": \"c\"}");
        QVERIFY2(read.ok(), read.ok() ? "" : read.error().text().c_str());
        QCOMPARE(read->documents.size(), std::size_t(4));
        QCOMPARE(read->documents[0].id, std::uint64_t(5));
        QCOMPARE(read->documents[0].title, std::string("T"));
        QCOMPARE(read->documents[0].text, std::string("a\nb ü"));
        QCOMPARE(read->documents[1].id, std::uint64_t(17));
        QCOMPARE(read->documents[2].id, std::uint64_t(2));
        QCOMPARE(read->documents[2].text, std::string("x \xF0\x9F\x98\x80 \xEF\xBF\xBD y"));
        QVERIFY(read->documents[3].id > 1000);
    }

    void countsLinesOfJsonWithoutText()
    {
        auto read = readAll("{\"text\": null}\n{\"body\": \"x\"}\n{\"text\": \"\"}\n{\"text\": \" \\n\"}\n"
                            "{\"text\": \"a\"}\n");
        QVERIFY2(read.ok(), read.ok() ? "" : read.error().text().c_str());
        QCOMPARE(read->documents.size(), std::size_t(1));
        QCOMPARE(read->documents[0].id, std::uint64_t(4)); // its number, as if the others had text
        QCOMPARE(read->counters["documents_without_text"], std::uint64_t(4));
        QCOMPARE(read->counters["documents_read"], std::uint64_t(5));
    }

    void namesTheLineOfBadJson()
    {
        const std::string good = "{\"text\": \"x\"}\n";
        fails(good + "\n{\"text\": }\n", CorpusFormat::Auto, "line 3: this is not a JSON object");
        fails(good + "[]\n", CorpusFormat::Auto, "line 2: this is not a JSON object");
        fails(good + "{\"text\": 5}\n", CorpusFormat::Auto, "line 2: \"text\" is not a string");
        fails("[\n{\"text\": \"x\"}]", CorpusFormat::Auto, "jq");
    }

    void replacesWhatIsNoUtf8()
    {
        auto read = readAll("a\xFF"
                            "b \xC3\xA4 \xE2\x82\n",
                            CorpusFormat::Articles);
        QCOMPARE(read->documents[0].text, std::string("a\xEF\xBF\xBD"
                                                      "b \xC3\xA4 \xEF\xBF\xBD\xEF\xBF\xBD"));
        QCOMPARE(read->counters["characters_repaired"], std::uint64_t(3));
        QVERIFY(readAll(dump(page(1, "A", "x\xFFy"))).ok());
        QVERIFY(readAll("{\"text\": \"x\xFFy\"}").ok());
    }

    void decompressesEveryFormat()
    {
        const std::string text = "One.\nTwo.\n\nThree.\n";
        for (const std::string& bytes :
             {text, bzip2(text), gzip(text), zstd(text), gzip("One.\n") + gzip(text.substr(5))}) {
            auto read = readAll(bytes, CorpusFormat::Sentences);
            QCOMPARE(read->documents.size(), std::size_t(2));
            QCOMPARE(read->documents[0].text, std::string("One.\nTwo.\n"));
        }
    }

    void refusesWhatIsEmpty()
    {
        for (const std::string& bytes :
             {std::string(), bzip2(""), gzip(""), zstd(""), std::string("\r\n"), gzip(" \n")}) {
            for (const CorpusFormat format :
                 {CorpusFormat::Auto, CorpusFormat::MediaWiki, CorpusFormat::WikiExtractor,
                  CorpusFormat::JsonLines, CorpusFormat::Articles, CorpusFormat::Sentences})
                fails(bytes, format, "corpus is empty");
        }
    }

    void refusesTheStandardInputTwice()
    {
        const auto read = readCorpus({"-", m_folder->file("x\n"), "-"}, CorpusFormat::Articles);
        QVERIFY(!read.ok());
        QVERIFY(read.error().message.find("the standard input is given twice") != std::string::npos);
    }

    void numbersDocumentsAcrossFilesAndPieces()
    {
        std::string lines;
        for (int i = 0; i < 5000; ++i)
            lines += std::string(200, 'x') + "\n";
        const auto read = readCorpus({m_folder->file(lines, "a"), m_folder->file(bzip2(lines), "b")},
                                     CorpusFormat::Articles);
        QCOMPARE(read->documents.size(), std::size_t(10000));
        for (std::size_t i = 0; i < read->documents.size(); ++i)
            QCOMPARE(read->documents[i].id, std::uint64_t(i));
        const CorpusPosition middle = read->pieces[5].end;
        const auto rest =
            readCorpus({m_folder->path() / "a", m_folder->path() / "b"}, CorpusFormat::Articles, 1, middle);
        QCOMPARE(rest->documents.front().id, middle.documents);
        QCOMPARE(rest->documents.back().id, std::uint64_t(9999));
    }

    void tellsTheFormatOfEachFile()
    {
        const std::vector files{m_folder->file(dump(page(3, "A", "x")), "a"),
                                m_folder->file("{\"text\": \"y\"}", "b")};
        auto input = CorpusInput::open({files}, 1).value();
        while (input.next().value())
            ;
        QVERIFY((input.formats() == std::set{CorpusFormat::MediaWiki, CorpusFormat::JsonLines}));
        QCOMPARE(input.bytesRead(), input.bytesTotal());
    }

    void boundsTheLengthOfDocuments()
    {
        const std::string line(kMaxDocumentBytes + 5, 'x');
        auto read = readAll("a\n" + line + "\nb\n", CorpusFormat::Articles);
        QVERIFY2(read.ok(), read.ok() ? "" : read.error().text().c_str());
        QCOMPARE(read->documents.size(), std::size_t(2));
        QCOMPARE(read->documents[1].text, std::string("b"));
        QCOMPARE(read->documents[1].id, std::uint64_t(2));
        QCOMPARE(read->counters["documents_too_long"], std::uint64_t(1));
        fails("a\n" + line + "\nb\n", CorpusFormat::Sentences, "64 MiB");
    }

    /// Whatever damage there is, the end is an error or documents of valid UTF-8.
    void survivesAnyBytes_data()
    {
        QTest::addColumn<QByteArray>("bytes");
        QTest::addColumn<int>("format");
        const auto row = [](const char* name, const std::string& bytes, CorpusFormat format) {
            QTest::addRow("%s", name) << QByteArray::fromStdString(bytes) << static_cast<int>(format);
        };
        row("export", dump(page(1, "A &amp; B", "x &lt; y <!-- z --> ü") + page(2, "B", "<![CDATA[y]]>")),
            CorpusFormat::MediaWiki);
        row("wikiextractor", "<doc id=\"1\" title=\"A\">\nA\n\nx &lt; ü\n</doc>\n",
            CorpusFormat::WikiExtractor);
        row("JSON", "{\"id\": 1, \"title\": \"A\", \"text\": \"x \\ud83d\\ude00 ü\"}\n",
            CorpusFormat::JsonLines);
        row("sentences", "One ü.\r\nTwo.\n\nThree.\n", CorpusFormat::Sentences);
        row("UTF-16",
            std::string("\xFF\xFE"
                        "a\0\x3D\xD8\0\xDE\n\0",
                        10),
            CorpusFormat::Articles);
        row("gzip", gzip("One.\nTwo.\n"), CorpusFormat::Articles);
        row("zstd", zstd("One.\nTwo.\n"), CorpusFormat::Articles);
    }
    void survivesAnyBytes()
    {
        QFETCH(QByteArray, bytes);
        QFETCH(int, format);
        std::mt19937 random(16);
        for (int round = 0; round < 200; ++round) {
            std::string damaged = bytes.toStdString() + bytes.toStdString();
            for (unsigned changes = 1 + random() % 4; changes > 0; --changes) {
                const std::size_t at = random() % damaged.size();
                if (random() % 2)
                    damaged[at] = static_cast<char>(random());
                else
                    damaged.erase(at, random() % 9);
            }
            const auto read =
                readAll(damaged, round % 2 ? static_cast<CorpusFormat>(format) : CorpusFormat::Auto);
            if (!read.ok()) {
                QCOMPARE(read.error().kind, ErrorKind::BadInput);
                continue;
            }
            for (const CorpusDocument& document : read->documents) {
                const QByteArray text = "x" + QByteArray::fromStdString(document.text); // Qt drops a mark
                QCOMPARE(QString::fromUtf8(text).toUtf8(), text);
            }
        }
    }

    void takesBackLoneSurrogates()
    {
        QCOMPARE(withoutLoneSurrogates(R"(a\\ud800 \ud800)"), std::string(R"(a\\ud800 \uFFFD)"));
        QCOMPARE(withoutLoneSurrogates(R"(\udc00\ud83d\ude00)"), std::string(R"(\uFFFD\ud83d\ude00)"));
        QCOMPARE(withoutLoneSurrogates(R"(\)"), std::string(R"(\)"));
        QCOMPARE(withoutLoneSurrogates(R"(\u12)"), std::string(R"(\u12)"));
    }

private:
    Result<CorpusRead> readAll(const std::string& bytes, CorpusFormat format = CorpusFormat::Auto)
    {
        return readCorpus({m_folder->file(bytes)}, format);
    }
    void fails(const std::string& bytes, CorpusFormat format, const std::string& named)
    {
        auto read = readAll(bytes, format);
        QVERIFY(!read.ok());
        QVERIFY2(read.error().text().find(named) != std::string::npos, read.error().text().c_str());
    }

    std::unique_ptr<CorpusFolder> m_folder;
};

QTEST_APPLESS_MAIN(TestCorpusFormats)
#include "tst_corpus_formats.moc"
