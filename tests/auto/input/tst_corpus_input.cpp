#include <QTest>

#include <fcntl.h>
#include <random>
#include <sys/stat.h>
#include <thread>
#include <unistd.h>

#include "corpus_fixture.h"
#include "tests/support/reference_data.h"

using namespace trainyard;

namespace fs = std::filesystem;

namespace {

std::string randomLetters(std::mt19937& random, std::size_t size)
{
    std::string text(size, ' ');
    for (char& c : text)
        c = static_cast<char>('a' + random() % 26); // so that bzip2 needs several blocks
    return text;
}

std::string utf16(const std::string& text, bool bigEndian)
{
    std::string bytes = bigEndian ? "\xFE\xFF" : "\xFF\xFE";
    for (const QChar c : QString::fromStdString(text)) {
        const char low = static_cast<char>(c.unicode() & 0xFF), high = static_cast<char>(c.unicode() >> 8);
        bytes += bigEndian ? std::string{high, low} : std::string{low, high};
    }
    return bytes;
}

} // namespace

class TestCorpusInput : public QObject {
    Q_OBJECT

private slots:
    void init() { m_folder = std::make_unique<CorpusFolder>(); }

    void readsTheFieldsOfAPage()
    {
        const std::string model = "<page><title>M</title><ns>0</ns><id>3</id><revision><model>css</"
                                  "model><text/></revision></page>";
        const auto read = readAll(dump(page(12, "A &amp; B", "x &lt;ref&gt; &amp;nbsp; ü") +
                                       page(13, "R", "#R", "<redirect title=\"A\"/>") + model +
                                       page(14, "D", "", "", " deleted=\"deleted\"") +
                                       "<page><title>T:a</title><ns>10</ns><id>4</id></page>"));
        QVERIFY2(read.ok(), read.ok() ? "" : read.error().text().c_str());
        QCOMPARE(read->documents.size(), std::size_t(1));
        const CorpusDocument& first = read->documents[0];
        QCOMPARE(first.id, std::uint64_t(12));
        QCOMPARE(first.title, std::string("A & B"));
        QCOMPARE(first.text, std::string("x <ref> &nbsp; ü"));
        QVERIFY(first.kind == CorpusDocument::Kind::Markup);
        const SkipCounters expected{{"pages", 5},
                                    {"redirects", 1},
                                    {"pages_of_other_models", 1},
                                    {"pages_deleted", 1},
                                    {"pages_of_other_namespaces", 1}};
        QVERIFY(read->counters == expected);
    }

    void readsEveryWrapping_data()
    {
        QTest::addColumn<QByteArray>("bytes");
        const std::string one = page(1, "A", "a long text \xF0\x9F\x98\x80"), two = page(2, "B", "another"),
                          head = "<?xml version=\"1.0\"?><mediawiki xmlns=\"http://www.mediawiki.org/xml/"
                                 "export-0.11/\" xmlns:xsi=\"x\" xsi:schemaLocation=\"x\" version=\"0.11\" "
                                 "xml:lang=\"en\">\n",
                          tail = "</mediawiki>";
        const std::string plain = head + one + two + tail;
        const auto row = [](const char* name, const std::string& bytes) {
            QTest::addRow("%s", name) << QByteArray::fromStdString(bytes);
        };
        row("plain", plain);
        row("byte order mark", "\xEF\xBB\xBF" + plain);
        row("bzip2", bzip2(plain));
        row("several bzip2 streams", bzip2(head) + bzip2(one) + bzip2(two + tail));
        row("an empty bzip2 stream between", bzip2(head + one) + bzip2("") + bzip2(two + tail) + bzip2(""));
        row("gzip", gzip(plain));
        row("several gzip members", gzip(head + one) + gzip("") + gzip(two + tail));
        row("garbage behind gzip", gzip(plain) + std::string(700, '\0'));
        row("zstd", zstd(plain));
        row("several zstd frames", zstd(head + one) + zstd("") + zstd(two + tail));
        row("a skippable zstd frame first", std::string("\x50\x2A\x4D\x18\x04\0\0\0size", 12) + zstd(plain));
        row("line ends of Windows", QByteArray::fromStdString(plain).replace("\n", "\r\n").toStdString());
        row("UTF-16, little endian", utf16(plain, false));
        row("UTF-16, big endian", utf16(plain, true));
        row("UTF-16, said so",
            bzip2(utf16("<?xml version=\"1.0\" encoding=\"UTF-16\"?>" + plain.substr(21), false)));
        row("UTF-16 without a mark", utf16(plain, false).substr(2));
        row("comments and CDATA", head + "<!-- <page> -->" + one + "<!-- </mediawiki> --><?x <page>?>" +
                                      page(2, "B", "<![CDATA[another]]>") + tail + "<!-- more -->");
        row("comment in a page", head + one + page(2, "B", "ano<!-- </page> -->ther") + tail);
        row("unknown elements", head + "<x><y/></x>" + one + "<pages/>" + two + tail + "\n\n");
        row("blanks in tags", head + one +
                                  "<page ><title>B</title><id>2</id><revision><text bytes=\"7\">another"
                                  "</text></revision></page\n></mediawiki >");
    }
    void readsEveryWrapping()
    {
        QFETCH(QByteArray, bytes);
        const auto read = readAll(bytes.toStdString());
        QVERIFY2(read.ok(), read.ok() ? "" : read.error().text().c_str());
        QCOMPARE(read->documents.size(), std::size_t(2));
        QCOMPARE(read->documents[0].text, std::string("a long text \xF0\x9F\x98\x80"));
        QCOMPARE(read->documents[1].id, std::uint64_t(2));
        QCOMPARE(read->documents[1].text, std::string("another"));
    }

    void tellsTheNamespacesOfTheWiki()
    {
        const auto read =
            readAll("<mediawiki xml:lang=\"de\"><siteinfo><dbname>dewiki</dbname><namespaces>"
                    "<namespace key=\"-2\">Medium</namespace><namespace key=\"0\" /><namespace key=\"6\" "
                    "case=\"first-letter\">Datei</namespace></namespaces><namespacealiases><namespacealias "
                    "key=\"6\">Bild</namespacealias></namespacealiases></siteinfo>" +
                    page(1, "A", "x") + "</mediawiki>");
        const SiteInfo& site = *read->pieces.at(0).site;
        QCOMPARE(site.language, std::string("de"));
        const std::map<int, std::vector<std::string>> expected{{-2, {"Medium"}}, {6, {"Datei", "Bild"}}};
        QVERIFY(site.namespaces == expected);
        QCOMPARE(readAll("<mediawiki><siteinfo><dbname>bgwiki</dbname></siteinfo>" + page(1, "A", "x") +
                         "</mediawiki>")
                     ->pieces.at(0)
                     .site->language,
                 std::string("bg"));
    }

    void namesTheLastGoodPageOfATruncatedDump()
    {
        std::mt19937 random(5);
        std::string many;
        for (int i = 1; i <= 200; ++i)
            many += page(i, "Title" + std::to_string(i), randomLetters(random, 3000));
        const std::string plain = dump(many);
        for (const auto& whole : {plain, bzip2(plain), gzip(plain), zstd(plain)}) {
            for (const double part : {0.2, 0.5, 0.9, 0.999}) {
                const auto read = readAll(
                    whole.substr(0, static_cast<std::size_t>(static_cast<double>(whole.size()) * part)));
                QVERIFY(!read.ok());
                QCOMPARE(read.error().kind, ErrorKind::BadInput);
                const std::string text = read.error().text();
                QVERIFY2(text.find("after page") != std::string::npos || part < 0.25, text.c_str());
                QVERIFY2(text.find("fetch") != std::string::npos, text.c_str());
            }
        }
    }

    void noticesDamageInZstd()
    {
        std::mt19937 random(6);
        const std::string whole = zstd(dump(page(1, "A", randomLetters(random, 900'000))));
        for (const double part : {0.1, 0.5, 0.99}) {
            std::string bytes = whole;
            bytes[static_cast<std::size_t>(static_cast<double>(whole.size()) * part)] ^= 0x10;
            const auto read = readAll(bytes);
            QVERIFY(!read.ok());
            QVERIFY2(read.error().text().find("damaged near byte") != std::string::npos,
                     read.error().text().c_str());
        }
        const auto garbage = readAll(zstd(dump(page(1, "A", "x"))) + std::string(700, '\0'));
        QVERIFY(!garbage.ok() && garbage.error().text().find("damaged") != std::string::npos);
    }

    void namesThePageBeforeDamagedXml()
    {
        const auto read = readAll(dump(page(1, "A", "x") + page(2, "AT&amp;T", "x") + "\n\n" +
                                       page(3, "C", "x & y") + page(4, "D", "x")));
        QCOMPARE(
            read.error().message,
            (m_folder->path() / "corpus").string() +
                ": after page 2 \"AT&T\", the XML is damaged at line 6: not well-formed (invalid token)");
    }

    void refusesWhatIsNoDump_data()
    {
        QTest::addColumn<QByteArray>("bytes");
        QTest::addColumn<QString>("named");
        const auto row = [](const char* name, const QByteArray& bytes, const char* named) {
            QTest::addRow("%s", name) << bytes << named;
        };
        row("HTML", "<!DOCTYPE html><html><body/></html>", "HTML");
        row("another root", "<feed><body/></feed>", "<feed>");
        row("text", "hello", "--format");
        row("empty", QByteArray(), "is empty");
        row("broken XML", "<mediawiki><page></title></page></mediawiki>", "line 1");
        row("broken header", "<mediawiki><siteinfo></x><page></page></mediawiki>", "line 1");
        row("page that does not end", "<mediawiki><page><title>a</title></mediawiki>", "inside a page");
        row("dumps in one", "<mediawiki><page/></mediawiki>\n<mediawiki></mediawiki>", "as a separate file");
        row("another encoding", "<?xml version=\"1.0\" encoding=\"ISO-8859-1\"?><mediawiki></mediawiki>",
            "iconv");
        row("header alone", "<mediawiki><siteinfo>", "truncated");
        row("7z", QByteArray("7z\xBC\xAF\x27\x1C", 6), "7z x");
        row("zip", "PK\x03\x04", "unzip");
        row("xz",
            QByteArray("\xFD"
                       "7zXZ\0",
                       6),
            "xz -dc");
        row("zstd that is damaged", "\x28\xB5\x2F\xFD" + QByteArray(60, '\xFF'), "damaged near byte");
        const QByteArray tar = QByteArray(257, 'x') + "ustar";
        row("tar", tar, "tar xf");
        row("compressed tar", QByteArray::fromStdString(gzip(tar.toStdString())), "tar xf");
        row("cut in its first block", QByteArray::fromStdString(bzip2(dump(page(1, "A", "x")))).left(60),
            "ends unexpectedly");
        row("log",
            QByteArray::fromStdString(
                gzip("<mediawiki>" + std::string(kMaxDocumentBytes + (1 << 20), ' ') + "</mediawiki>")),
            "no page");
        row("index", "614:10:AccessibleComputing\n", "index");
    }
    void refusesWhatIsNoDump()
    {
        QFETCH(QByteArray, bytes);
        QFETCH(QString, named);
        const auto read = readAll(bytes.toStdString());
        QVERIFY(!read.ok());
        QCOMPARE(read.error().kind, ErrorKind::BadInput);
        QVERIFY2(read.error().text().find(named.toStdString()) != std::string::npos,
                 read.error().text().c_str());
        QVERIFY(read.error().text().find("corpus") != std::string::npos);
    }

    void namesWhatCannotBeOpened()
    {
        const auto second = readCorpus({m_folder->file(dump(page(1, "A", "x")), "first"),
                                        m_folder->file("<html><h1>404</h1></html>", "second")});
        QVERIFY(second.error().text().find("second: this is an HTML page") != std::string::npos);
        const auto missing = readCorpus({m_folder->path() / "nowhere.xml"});
        QVERIFY(missing.error().text().find("nowhere.xml") != std::string::npos);
        const auto folder = readCorpus({m_folder->path()});
        QVERIFY(folder.error().text().find("is a folder") != std::string::npos);
    }

    /// Every place where reading may begin anew gives the documents behind it, and the same pieces.
    void restartsAtEveryPiece_data()
    {
        QTest::addColumn<QByteArray>("bytes");
        std::mt19937 random(7);
        std::string pages;
        for (int i = 1; i <= 400; ++i)
            pages += page(i, "T" + std::to_string(i), "ü\n" + randomLetters(random, random() % 9000));
        const std::string plain = dump(pages);
        const auto row = [](const char* name, const std::string& bytes) {
            QTest::addRow("%s", name) << QByteArray::fromStdString(bytes);
        };
        row("plain", plain);
        row("byte order mark", "\xEF\xBB\xBF" + plain);
        row("bzip2", bzip2(plain));
        row("bzip2, large blocks", bzip2(plain, 9));
        row("gzip", gzip(plain));
        row("zstd", zstd(plain));
        row("UTF-16", utf16(plain, true));
        std::string streams;
        for (std::size_t at = 0; at < plain.size(); at += 70'001)
            streams += bzip2(plain.substr(at, 70'001));
        row("streams", streams);
    }
    void restartsAtEveryPiece()
    {
        QFETCH(QByteArray, bytes);
        const std::vector files{m_folder->file(bytes.toStdString()),
                                m_folder->file(dump(page(1000, "last", "x")), "second")};
        const auto whole = readCorpus(files);
        QVERIFY2(whole.ok(), whole.ok() ? "" : whole.error().text().c_str());
        QCOMPARE(whole->documents.size(), std::size_t(401));
        QVERIFY(whole->pieces.size() > 5);
        for (std::size_t i = 0; i < whole->pieces.size(); ++i) {
            const CorpusPosition from = whole->pieces[i].end;
            const auto rest = readCorpus(files, CorpusFormat::Auto, static_cast<int>(i % 3) + 1, from);
            QVERIFY2(rest.ok(), rest.ok() ? "" : rest.error().text().c_str());
            QCOMPARE(rest->pieces.size(), whole->pieces.size() - i - 1);
            for (std::size_t k = 0; k < rest->pieces.size(); ++k) {
                const CorpusPiece &again = rest->pieces[k], &once = whole->pieces[i + 1 + k];
                QVERIFY(again.bytes == once.bytes && again.end == once.end);
                QVERIFY(again.firstDocument == once.firstDocument && again.firstLine == once.firstLine);
            }
        }
    }

    void readsTheSameWithAnyNumberOfThreads()
    {
        std::mt19937 random(9);
        std::string pages;
        for (int i = 1; i <= 500; ++i)
            pages += page(i, "T", randomLetters(random, 5000));
        const fs::path file = m_folder->file(bzip2(dump(pages)));
        const auto one = readCorpus({file}, CorpusFormat::Auto, 1);
        for (const int threads : {2, 8}) {
            const auto read = readCorpus({file}, CorpusFormat::Auto, threads);
            QCOMPARE(read->pieces.size(), one->pieces.size());
            for (std::size_t i = 0; i < one->pieces.size(); ++i)
                QVERIFY(read->pieces[i].bytes == one->pieces[i].bytes &&
                        read->pieces[i].end == one->pieces[i].end);
        }
    }

    void readsTheStandardInputOnce()
    {
        const std::string plain = dump(page(1, "A", "x") + page(2, "B", "y"));
        for (const std::string& bytes : {plain, bzip2(plain), gzip(plain), zstd(plain)}) {
            const int before = ::dup(STDIN_FILENO);
            const int file = ::open(m_folder->file(bytes).c_str(), O_RDONLY);
            ::dup2(file, STDIN_FILENO);
            const auto read = readCorpus({"-"}, CorpusFormat::Auto, 2);
            ::dup2(before, STDIN_FILENO);
            ::close(before);
            ::close(file);
            QVERIFY2(read.ok(), read.ok() ? "" : read.error().text().c_str());
            QCOMPARE(read->titles(), std::string("A B "));
            const auto again = readCorpus({"-"}, CorpusFormat::Auto, 2, read->pieces[0].end);
            QVERIFY(again.error().text().find("the standard input can only be read once") != std::string::npos);
        }
    }

    void readsPipes()
    {
        std::mt19937 random(15);
        const fs::path pipe = m_folder->path() / "pipe";
        QCOMPARE(::mkfifo(pipe.c_str(), 0600), 0);
        const std::string bytes = bzip2(dump(page(1, "A", randomLetters(random, 500'000))));
        std::thread writer([&] { std::ofstream(pipe, std::ios::binary) << bytes; });
        const auto read = readCorpus({pipe});
        writer.join();
        QVERIFY2(read.ok(), read.ok() ? "" : read.error().text().c_str());
        QCOMPARE(read->titles(), std::string("A "));
    }

    void leavesOutPagesThatAreTooLong()
    {
        const std::string pages =
            page(1, "A", "x") + page(2, "long", std::string(kMaxDocumentBytes, 'y')) + page(3, "C", "z");
        for (const std::string& bytes : {dump(pages), bzip2(dump(pages), 9)}) {
            auto read = readAll(bytes);
            QVERIFY2(read.ok(), read.ok() ? "" : read.error().text().c_str());
            QCOMPARE(read->titles(), std::string("A C "));
            QCOMPARE(read->counters["pages_too_long"], std::uint64_t(1));
            QCOMPARE(read->pieces.size(), std::size_t(2));
            QCOMPARE(read->pieces[1].end.documents, std::uint64_t(3));
        }
    }

    void readsTheExcerptInOneStreamAndInMany()
    {
        const fs::path single = referenceExcerpt();
        NEEDS_REFERENCE(single);
        const auto one = readCorpus({single}, CorpusFormat::Auto, 2);
        const auto many =
            readCorpus({referenceData("wiki/multistream/enwiki-pages-articles-multistream.xml.bz2")});
        QVERIFY2(one.ok() && many.ok(), one.ok() ? "" : one.error().text().c_str());
        SkipCounters counters = one->counters;
        QCOMPARE(counters["pages"], std::uint64_t(206));
        QCOMPARE(counters["redirects"], std::uint64_t(99));
        QCOMPARE(one->documents.size(), std::size_t(106));
        QCOMPARE(many->documents.size(), one->documents.size());
        for (std::size_t i = 0; i < one->documents.size(); ++i)
            QVERIFY(one->documents[i].text == many->documents[i].text);
        QCOMPARE(one->pieces[0].site->namespaces.size(), std::size_t(34)); // the main one has no name
    }

private:
    Result<CorpusRead> readAll(const std::string& bytes) { return readCorpus({m_folder->file(bytes)}); }

    std::unique_ptr<CorpusFolder> m_folder;
};

QTEST_APPLESS_MAIN(TestCorpusInput)
#include "tst_corpus_input.moc"
