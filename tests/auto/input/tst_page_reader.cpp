#include <QTemporaryDir>
#include <QTest>

#include <bzlib.h>
#include <filesystem>
#include <random>

#include "datasets/input/page_reader.h"
#include "engine/base/file.h"

using namespace trainyard;

namespace {

std::string page(int id, const std::string& title, const std::string& text, const std::string& more = {},
                 const std::string& attributes = {})
{
    return "<page><title>" + title + "</title><ns>0</ns><id>" + std::to_string(id) + "</id>" + more +
           "<revision><id>7</id><contributor><username>x</username><id>99</id></contributor>"
           "<text" +
           attributes + ">" + text + "</text></revision></page>\n";
}

std::string dump(const std::string& pages)
{
    return "<mediawiki version=\"0.10\"><siteinfo><sitename>S</sitename></siteinfo>\n" + pages +
           "</mediawiki>\n";
}

std::string compressed(const std::string& text)
{
    std::string out(text.size() + text.size() / 100 + 700, '\0');
    auto size = static_cast<unsigned>(out.size());
    if (BZ2_bzBuffToBuffCompress(out.data(), &size, const_cast<char*>(text.data()),
                                 static_cast<unsigned>(text.size()), 1, 0, 0) != BZ_OK)
        return {};
    out.resize(size);
    return out;
}

} // namespace

class TestPageReader : public QObject {
    Q_OBJECT

private slots:
    void init() { m_folder = std::make_unique<QTemporaryDir>(); }

    void readsTheFieldsOfAPage()
    {
        const std::string model = "<page><title>M</title><ns>8</ns><id>3</id><revision><model>css</"
                                  "model><text deleted=\"deleted\"/></revision></page>";
        const auto pages = readAll(dump(page(12, "A &amp; B", "x &lt;ref&gt; &amp;nbsp; ü") +
                                        page(13, "R", "#R", "<redirect title=\"A\"/>") + model));
        QVERIFY2(pages.ok(), pages.ok() ? "" : pages.error().text().c_str());
        QCOMPARE(pages->size(), std::size_t(3));
        const Page& first = pages.value()[0];
        QCOMPARE(first.id, std::uint64_t(12));
        QCOMPARE(first.title, std::string("A & B"));
        QCOMPARE(first.text, std::string("x <ref> &nbsp; ü"));
        QCOMPARE(first.model, std::string("wikitext"));
        QVERIFY(!first.redirect && !first.deleted);
        QVERIFY(pages.value()[1].redirect);
        QCOMPARE(pages.value()[2].space, 8);
        QCOMPARE(pages.value()[2].model, std::string("css"));
        QVERIFY(pages.value()[2].deleted);
    }

    void readsEveryWrapping_data()
    {
        QTest::addColumn<QByteArray>("bytes");
        const std::string one = page(1, "A", "a long text"), two = page(2, "B", "another"),
                          head = "<mediawiki>", tail = "</mediawiki>";
        const std::string plain = head + one + two + tail;
        const auto row = [](const char* name, const std::string& bytes) {
            QTest::addRow("%s", name) << QByteArray::fromStdString(bytes);
        };
        row("plain", plain);
        row("bzip2", compressed(plain));
        row("several bzip2 streams", compressed(head) + compressed(one) + compressed(two + tail));
        row("line ends of Windows", QByteArray::fromStdString(plain).replace("\n", "\r\n").toStdString());
        const QString text = QString::fromStdString(plain);
        row("UTF-16", "\xFF\xFE" + std::string(reinterpret_cast<const char*>(text.utf16()),
                                               static_cast<std::size_t>(text.size()) * 2));
    }
    void readsEveryWrapping()
    {
        QFETCH(QByteArray, bytes);
        const auto pages = readAll(bytes.toStdString());
        QVERIFY2(pages.ok(), pages.ok() ? "" : pages.error().text().c_str());
        QCOMPARE(pages->size(), std::size_t(2));
        QCOMPARE(pages.value()[0].text, std::string("a long text"));
        QCOMPARE(pages.value()[1].id, std::uint64_t(2));
    }

    void namesTheLastGoodPageOfATruncatedDump()
    {
        std::mt19937 random(5);
        std::string many;
        for (int i = 1; i <= 200; ++i) {
            std::string text(3000, ' ');
            for (char& c : text)
                c = static_cast<char>('a' + random() % 26); // so that bzip2 needs several blocks
            many += page(i, "Title" + std::to_string(i), text);
        }
        const std::string plain = dump(many);
        for (const bool bzip2 : {false, true}) {
            const std::string whole = bzip2 ? compressed(plain) : plain;
            for (const double part : {0.2, 0.5, 0.9, 0.999}) {
                const auto pages = readAll(
                    whole.substr(0, static_cast<std::size_t>(static_cast<double>(whole.size()) * part)));
                QVERIFY(!pages.ok());
                QCOMPARE(pages.error().kind, ErrorKind::BadInput);
                const std::string text = pages.error().text();
                QVERIFY2(text.find("after page") != std::string::npos || part < 0.25, text.c_str());
                QVERIFY2(text.find("dump") != std::string::npos, text.c_str());
            }
        }
    }

    void noticesDamagedBzip2()
    {
        std::string bytes = compressed(dump(page(1, "A", std::string(5000, 'x') + "yz")));
        bytes[bytes.size() / 2] = static_cast<char>(bytes[bytes.size() / 2] ^ 0xFF);
        const auto pages = readAll(bytes);
        QVERIFY(!pages.ok());
        QVERIFY2(pages.error().text().find("damaged") != std::string::npos, pages.error().text().c_str());
    }

    void refusesWhatIsNoDump_data()
    {
        QTest::addColumn<QByteArray>("bytes");
        QTest::addColumn<QString>("named");
        QTest::addRow("HTML") << QByteArray("<html><body/></html>") << "<html>";
        QTest::addRow("text") << QByteArray("hello") << "damaged";
        QTest::addRow("empty") << QByteArray() << "ends in the middle";
        QTest::addRow("broken XML") << QByteArray("<mediawiki><page></title></mediawiki>") << "line 1";
    }
    void refusesWhatIsNoDump()
    {
        QFETCH(QByteArray, bytes);
        QFETCH(QString, named);
        const auto pages = readAll(bytes.toStdString());
        QVERIFY(!pages.ok());
        QCOMPARE(pages.error().kind, ErrorKind::BadInput);
        QVERIFY2(pages.error().text().find(named.toStdString()) != std::string::npos,
                 pages.error().text().c_str());
    }

    void reportsAMissingFile()
    {
        const auto reader = PageReader::open(path() / "nowhere.xml");
        QVERIFY(!reader.ok());
        QVERIFY(reader.error().text().find("nowhere.xml") != std::string::npos);
        QVERIFY(!PageReader::open(path()).ok());
    }

private:
    std::filesystem::path path() const { return m_folder->path().toStdString(); }

    Result<std::vector<Page>> readAll(const std::string& bytes)
    {
        TRAINYARD_TRY_STATUS(writeFileAtomically(path() / "dump", bytes));
        TRAINYARD_TRY(PageReader reader, PageReader::open(path() / "dump"));
        std::vector<Page> pages;
        for (;;) {
            TRAINYARD_TRY(auto page, reader.next());
            if (!page)
                return pages;
            pages.push_back(std::move(*page));
        }
    }

    std::unique_ptr<QTemporaryDir> m_folder;
};

QTEST_APPLESS_MAIN(TestPageReader)
#include "tst_page_reader.moc"
