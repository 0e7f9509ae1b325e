#include <QTemporaryDir>
#include <QTest>

#include <random>

#include "datasets/input/corpus_folder.h"
#include "engine/base/file.h"
#include "tests/auto/input/corpus_fixture.h"
#include "tests/auto/input/table_writer.h"

using namespace trainyard;

namespace fs = std::filesystem;

namespace {

const QStringList kForms{"snappy.parquet",     "zstd.parquet",     "gzip.parquet",      "lz4.parquet",
                         "brotli.parquet",     "plain.parquet",    "one-group.parquet", "small-pages.parquet",
                         "pages-2.parquet",    "delta.parquet",    "checksums.parquet", "large.parquet",
                         "dictionary.parquet", "file.arrow",       "stream.arrow",      "one-batch.arrow",
                         "zstd.arrow",         "lz4.arrow",        "dictionary.arrow",  "large.arrow",
                         "view.arrow",         "view-stream.arrow"};
const QStringList kOtherForms{"numbers-64.parquet", "numbers-32.parquet", "content.parquet", "broken.parquet",
                              "broken.arrow",       "empty.parquet",      "empty.arrow"};

void addRows(const QStringList& names)
{
    QTest::addColumn<QString>("form");
    for (const QString& name : names)
        QTest::newRow(qPrintable(name)) << name;
}

bool isSame(const CorpusDocument& one, const CorpusDocument& other)
{
    return one.id == other.id && one.title == other.title && one.text == other.text && one.kind == other.kind;
}

} // namespace

/// Parquet and Arrow files, written by pyarrow, give the documents of the JSON lines they were made from.
class TestTables : public QObject {
    Q_OBJECT

private slots:
    void initTestCase()
    {
        QVERIFY(writeTables({"sample", m_folder.path()}));
        QVERIFY(writeTables(QStringList{m_folder.filePath("documents.jsonl"), m_folder.path()} + kForms +
                            kOtherForms));
        const auto read = readCorpus({at("documents.jsonl")});
        QVERIFY2(read.ok(), read.ok() ? "" : read.error().text().c_str());
        m_expected = *read;
        QCOMPARE(m_expected.counters.at("documents_read"), std::uint64_t(900));
        QCOMPARE(m_expected.documents.size() + m_expected.counters.at("documents_without_text"),
                 std::size_t(900));
        QVERIFY(m_expected.documents.size() < 900);
    }

    void holdTheDocumentsOfTheJsonLines_data() { addRows(kForms); }
    void holdTheDocumentsOfTheJsonLines()
    {
        QFETCH(QString, form);
        const auto read = readCorpus({at(form)});
        QVERIFY2(read.ok(), read.ok() ? "" : read.error().text().c_str());
        QCOMPARE(read->documents.size(), m_expected.documents.size());
        for (std::size_t i = 0; i < read->documents.size(); ++i)
            QVERIFY2(isSame(read->documents[i], m_expected.documents[i]), qPrintable(QString::number(i)));
        QVERIFY(read->counters == m_expected.counters);
        QVERIFY(read->pieces.size() > 2);
    }

    void restartAtEveryPiece_data() { addRows(kForms); }
    void restartAtEveryPiece()
    {
        QFETCH(QString, form);
        const std::vector files{at(form), at("documents.jsonl")};
        const auto whole = readCorpus(files);
        QVERIFY(whole.ok());
        for (std::size_t i = 0; i < whole->pieces.size(); ++i) {
            const auto rest = readCorpus(files, CorpusFormat::Auto, 1, whole->pieces[i].end);
            QVERIFY2(rest.ok(), rest.ok() ? "" : rest.error().text().c_str());
            QCOMPARE(rest->pieces.size(), whole->pieces.size() - i - 1);
            const std::size_t before = whole->documents.size() - rest->documents.size();
            for (std::size_t k = 0; k < rest->documents.size(); ++k)
                QVERIFY(isSame(rest->documents[k], whole->documents[before + k]));
            for (std::size_t k = 0; k < rest->pieces.size(); ++k)
                QVERIFY(rest->pieces[k].end == whole->pieces[i + 1 + k].end);
        }
    }

    void takeNumbersAsIds_data() { addRows({"numbers-64.parquet", "numbers-32.parquet"}); }
    void takeNumbersAsIds()
    {
        QFETCH(QString, form);
        const auto read = readCorpus({at(form)});
        QVERIFY2(read.ok(), read.ok() ? "" : read.error().text().c_str());
        QCOMPARE(read->documents[0].id, std::uint64_t(1000));
        QCOMPARE(read->documents[1].id, std::uint64_t(1)); // -1 is none: its number in the corpus
        QCOMPARE(read->documents[3].id, std::uint64_t(1003));
    }

    void replaceWhatIsNoUtf8_data() { addRows({"broken.parquet", "broken.arrow"}); }
    void replaceWhatIsNoUtf8()
    {
        QFETCH(QString, form);
        const auto read = readCorpus({at(form)});
        QVERIFY2(read.ok(), read.ok() ? "" : read.error().text().c_str());
        std::uint64_t replaced = 0;
        for (std::size_t i = 0; i < read->documents.size(); ++i) {
            QString expected = QString::fromStdString(m_expected.documents[i].text);
            replaced += static_cast<std::uint64_t>(expected.count("yard"));
            QCOMPARE(QString::fromStdString(read->documents[i].text), expected.replace("yard", "y\uFFFDrd"));
        }
        QVERIFY(replaced > 100);
        QCOMPARE(read->counters.at("characters_repaired"), replaced);
    }

    void mayHaveNoRows_data() { addRows({"empty.parquet", "empty.arrow"}); }
    void mayHaveNoRows()
    {
        QFETCH(QString, form);
        const auto read = readCorpus({at(form), at("documents.jsonl")});
        QVERIFY2(read.ok(), read.ok() ? "" : read.error().text().c_str());
        QCOMPARE(read->documents.size(), m_expected.documents.size());
    }

    void canNameTheColumn()
    {
        const auto read = readColumn(at("content.parquet"), "content");
        QVERIFY2(read.ok(), read.ok() ? "" : read.error().text().c_str());
        QCOMPARE(*read, m_expected.documents[0].text);
        const fs::path lines = at("content.jsonl");
        QVERIFY(writeFileAtomically(lines, "{\"text\": \"no\", \"content\": \"yes\"}\n").ok());
        QCOMPARE(readColumn(lines, "content").value(), std::string("yes"));
        QCOMPARE(readColumn(lines, "text").value(), std::string("no"));
    }

    void refuseAnotherColumn_data()
    {
        QTest::addColumn<QString>("form");
        QTest::addColumn<QString>("column");
        QTest::addColumn<QStringList>("named");
        for (const char* form : {"snappy.parquet", "file.arrow", "stream.arrow"}) {
            QTest::addRow("%s, missing", form)
                << form << "words" << QStringList{"no column \"words\"", "text (", "rank ("};
            QTest::addRow("%s, numbers", form) << form << "rank" << QStringList{"has no texts but", "text ("};
            QTest::addRow("%s, lists", form) << form << "tags" << QStringList{"tags", "text ("};
        }
    }
    void refuseAnotherColumn()
    {
        QFETCH(QString, form);
        QFETCH(QString, column);
        QFETCH(QStringList, named);
        const auto read = readColumn(at(form), column.toStdString());
        QVERIFY(!read.ok());
        QCOMPARE(read.error().kind, ErrorKind::BadInput);
        for (const QString& name : QStringList{form, "--text"} + named)
            QVERIFY2(QString::fromStdString(read.error().text()).contains(name), read.error().text().c_str());
    }

    void areKnownByTheirContent()
    {
        const auto other = readCorpus({at("snappy.parquet")}, CorpusFormat::JsonLines);
        QVERIFY(QString::fromStdString(other.error().text()).contains("is parquet, not jsonl"));
        const auto text = readCorpus({at("documents.jsonl")}, CorpusFormat::Arrow);
        QVERIFY(QString::fromStdString(text.error().text()).contains("is not arrow"));
        QVERIFY(readCorpus({at("stream.arrow")}, CorpusFormat::Arrow).ok());
        QVERIFY(writeFileAtomically(at("again.gz"), gzip(readFile(at("snappy.parquet")).value())).ok());
        const auto again = readCorpus({at("again.gz")});
        QVERIFY(QString::fromStdString(again.error().text()).contains("pass the file itself"));
    }

    void tellTruncationApart_data() { addRows(kForms); }
    void tellTruncationApart()
    {
        QFETCH(QString, form);
        const std::string whole = readFile(at(form)).value();
        for (const double part : {0.01, 0.3, 0.7, 0.95}) {
            const auto bytes = static_cast<std::size_t>(part * static_cast<double>(whole.size()));
            QVERIFY(writeFileAtomically(at("cut"), whole.substr(0, bytes)).ok());
            const auto read = readCorpus({at("cut")});
            QVERIFY(!read.ok());
            QCOMPARE(read.error().kind, ErrorKind::BadInput);
            QVERIFY2(QString::fromStdString(read.error().text()).contains("damaged or truncated"),
                     read.error().text().c_str());
        }
    }

    /// Whatever a damaged file says, it gives documents or one error.
    void surviveDamage_data() { addRows(kForms); }
    void surviveDamage()
    {
        QFETCH(QString, form);
        const std::string whole = readFile(at(form)).value();
        std::mt19937 random(17);
        for (int round = 0; round < 12; ++round) {
            std::string damaged = whole;
            for (int change = 0; change < 3; ++change) {
                // Most of a file is text, in which nothing can go wrong: half of the damage is in its ends.
                const std::size_t range = round % 2 == 0 ? damaged.size() : 1000;
                const std::size_t from = round % 4 == 1 ? damaged.size() - range : 0;
                damaged[from + random() % range] = static_cast<char>(random());
            }
            QVERIFY(writeFileAtomically(at("damaged"), damaged).ok());
            const auto read = readCorpus({at("damaged")});
            if (!read.ok())
                QVERIFY(read.error().text().find("damaged") != std::string::npos);
        }
    }

private:
    fs::path at(const QString& name) const { return m_folder.filePath(name).toStdString(); }

    /// The first text.
    static Result<std::string> readColumn(const fs::path& file, const std::string& column)
    {
        TRAINYARD_TRY(CorpusInput input, CorpusInput::open({{file}, CorpusFormat::Auto, column}, 1));
        TRAINYARD_TRY(auto piece, input.next());
        SkipCounters counters;
        TRAINYARD_TRY(const auto documents, parsePiece(*piece, counters));
        return documents.at(0).text;
    }

    QTemporaryDir m_folder;
    CorpusRead m_expected;
};

QTEST_GUILESS_MAIN(TestTables)
#include "tst_tables.moc"
