#include <QDir>
#include <QTemporaryDir>
#include <QTest>

#include <cstring>

#include "datasets/input/corpus_input.h"
#include "datasets/input/piece_parser.h"
#include "datasets/shards/manifest.h"
#include "engine/base/file.h"
#include "tests/auto/prepare/prepare_program.h"
#include "tests/auto/prepare/sample_dump.h"

using namespace trainyard;

namespace fs = std::filesystem;

namespace {

template <typename Number>
void append(std::string& bytes, const std::vector<Number>& numbers)
{
    bytes.append(reinterpret_cast<const char*>(numbers.data()), numbers.size() * sizeof(Number));
}

/// An .idx as Megatron-LM's IndexedDatasetBuilder writes it.
std::string indexOf(std::uint8_t type, std::uint64_t idBytes, const std::vector<std::int32_t>& lengths,
                    const std::vector<std::int64_t>& ends)
{
    std::string index("MMIDIDX\0\0", 9);
    append<std::uint64_t>(index, {1});
    append<std::uint8_t>(index, {type});
    append<std::uint64_t>(index, {lengths.size(), ends.size()});
    append(index, lengths);
    std::vector<std::int64_t> places;
    for (std::int64_t place = 0; const std::int32_t length : lengths) {
        places.push_back(place);
        place += length * static_cast<std::int64_t>(idBytes);
    }
    append(index, places);
    append(index, ends);
    return index;
}

} // namespace

/// The .bin and .idx of Megatron-LM give the rows of the text that they were made from.
class TestIndexedInputs : public QObject {
    Q_OBJECT

private slots:
    void initTestCase()
    {
        const ProgramOutcome made =
            prepare({QString::fromStdString(sampleDump())}, "whole",
                    {"--train-tokenizer", "800", "--also", "megatron", "--test-fraction", "0"});
        QVERIFY2(made.status == 0, qPrintable(made.err));
        QVERIFY(QFile::copy(at("whole/tokenizer.json"), at("tokenizer.json")));
        for (const char* end : {".idx", ".bin"})
            QVERIFY(QFile::copy(at(QString("whole/megatron/wikicorpus_en_training_text_document") + end),
                                at(QString("corpus") + end)));
    }

    void giveTheSameRows_data()
    {
        QTest::addColumn<QString>("name");
        QTest::newRow("by the index") << "corpus.idx";
        QTest::newRow("by the ids") << "corpus.bin";
        QTest::newRow("by the name of both") << "corpus";
    }
    void giveTheSameRows()
    {
        QFETCH(QString, name);
        const ProgramOutcome made =
            prepare({at(name)}, "out", {"--tokenizer", at("tokenizer.json"), "--test-fraction", "0"});
        QVERIFY2(made.status == 0, qPrintable(made.err));
        const Manifest whole = Manifest::load(at("whole").toStdString()).value();
        const Manifest again = Manifest::load(at("out").toStdString()).value();
        QCOMPARE(again.settings.format, std::string("megatron"));
        QCOMPARE(again.statistics.tokens, whole.statistics.tokens);
        QCOMPARE(again.shards.size(), whole.shards.size());
        for (std::size_t i = 0; i < whole.shards.size(); ++i) {
            QCOMPARE(again.shards[i].sha256, whole.shards[i].sha256);
            QCOMPARE(again.shards[i].textBytes, whole.shards[i].textBytes);
        }
        const ProgramOutcome verified = runPrepareProgram({"verify", at("out")});
        QVERIFY2(verified.status == 0, qPrintable(verified.err));
    }

    void mayComeInParts()
    {
        const QStringList files{at("corpus"), QString::fromStdString(sampleDump())};
        for (int part = 0; part < 2; ++part)
            QCOMPARE(runPrepareProgram({"documents", files[part], "--tokenizer", at("tokenizer.json"),
                                        "--out", at(QString("part%1").arg(part))})
                         .status,
                     0);
        const QStringList tokenizer{"--tokenizer", at("tokenizer.json")};
        QCOMPARE(prepare(files, "together", tokenizer).status, 0);
        const QStringList parts{"--documents", at("part0"), at("part1")};
        QCOMPARE(prepare(parts, "joined", tokenizer).status, 0);
        const Manifest together = Manifest::load(at("together").toStdString()).value();
        const Manifest joined = Manifest::load(at("joined").toStdString()).value();
        for (std::size_t i = 0; i < together.shards.size(); ++i)
            QCOMPARE(joined.shards[i].sha256, together.shards[i].sha256);
        const ProgramOutcome refused =
            prepare(parts + QStringList{"--objective", "mlm"}, "mlm", tokenizer, false);
        QCOMPARE(refused.status, 2);
        QVERIFY2(refused.err.contains("part0 has token ids"), qPrintable(refused.err));
    }

    void areNoText_data()
    {
        QTest::addColumn<QStringList>("options");
        QTest::addColumn<QString>("named");
        QTest::newRow("masks") << QStringList{"--objective", "mlm", "--tokenizer", at("tokenizer.json")}
                               << "--objective mlm";
        QTest::newRow("a new tokenizer") << QStringList{"--objective", "gpt", "--train-tokenizer", "800"}
                                         << "no text to train a vocabulary on";
    }
    void areNoText()
    {
        QFETCH(QStringList, options);
        QFETCH(QString, named);
        const ProgramOutcome refused = prepare({at("corpus")}, "refused", options, false);
        QCOMPARE(refused.status, 2);
        QVERIFY2(refused.err.contains(named) && refused.err.contains("corpus.idx"), qPrintable(refused.err));
        QVERIFY(!QFile::exists(at("refused")) && !QFile::exists(at(".refused.part")));
    }

    void nameTheDocumentOfAForeignToken()
    {
        std::string ids;
        append<std::int32_t>(ids, {5, 6, 7, 8, 90000, 9});
        write("foreign.bin", ids);
        write("foreign.idx", indexOf(4, 4, {2, 2, 2}, {0, 1, 2, 3}));
        const ProgramOutcome refused =
            prepare({at("foreign")}, "refused", {"--tokenizer", at("tokenizer.json")});
        QCOMPARE(refused.status, 2);
        QVERIFY2(refused.err.contains(
                     "foreign.idx: document 2: the token id 90000 is none of the tokenizer's 0 to 799"),
                 qPrintable(refused.err));
        QVERIFY(!QFile::exists(at("refused")) && !QFile::exists(at(".refused.part")));
    }

    /// Several sequences of a document are joined; ids of every width.
    void haveIdsOfEveryWidth_data()
    {
        QTest::addColumn<int>("type");
        QTest::addColumn<int>("width");
        QTest::newRow("uint16") << 8 << 2;
        QTest::newRow("int32") << 4 << 4;
        QTest::newRow("int64") << 5 << 8;
    }
    void haveIdsOfEveryWidth()
    {
        QFETCH(int, type);
        QFETCH(int, width);
        const std::vector<std::int64_t> ids{1, 2, 60000, 4, 5};
        std::string bytes;
        for (const std::int64_t id : ids)
            bytes.append(reinterpret_cast<const char*>(&id), static_cast<std::size_t>(width));
        write("width.bin", bytes);
        write("width.idx", indexOf(static_cast<std::uint8_t>(type), static_cast<std::uint64_t>(width),
                                   {2, 1, 2}, {0, 2, 3}));
        const auto documents = read(at("width.idx"));
        QVERIFY2(documents.ok(), documents.ok() ? "" : documents.error().text().c_str());
        QCOMPARE(documents->size(), std::size_t(2));
        QCOMPARE((*documents)[0].ids, (std::vector<std::int32_t>{1, 2, 60000}));
        QCOMPARE((*documents)[1].ids, (std::vector<std::int32_t>{4, 5}));
    }

    void refuseWhatIsDamaged_data()
    {
        QTest::addColumn<QString>("what");
        QTest::newRow("short index") << "index";
        QTest::newRow("short ids") << "ids";
        QTest::newRow("no ids") << "none";
        QTest::newRow("another type") << "type";
        QTest::newRow("ends that fall") << "ends";
        QTest::newRow("more sequences than there are") << "sequences";
    }
    void refuseWhatIsDamaged()
    {
        QFETCH(QString, what);
        std::string ids;
        append<std::uint16_t>(ids, {1, 2, 3, 4});
        std::string index =
            indexOf(what == "type" ? 7 : 8, 2, {2, 2},
                    what == "ends" ? std::vector<std::int64_t>{0, 2, 1} : std::vector<std::int64_t>{0, 1, 2});
        if (what == "index")
            index.resize(index.size() - 9);
        if (what == "ids")
            ids.pop_back();
        if (what == "sequences")
            index[24] = '\x7F';
        write("damaged.bin", ids);
        if (what == "none")
            QVERIFY(QFile::remove(at("damaged.bin")));
        write("damaged.idx", index);
        const auto documents = read(at("damaged.idx"));
        QVERIFY(!documents.ok());
        QCOMPARE(documents.error().kind, ErrorKind::BadInput);
        QVERIFY2(documents.error().text().find("damaged.") != std::string::npos,
                 documents.error().text().c_str());
    }

    void restartAtEveryPiece()
    {
        std::string ids;
        std::vector<std::int32_t> lengths;
        std::vector<std::int64_t> ends{0};
        for (std::uint16_t document = 0; document < 3000; ++document) {
            lengths.push_back(document % 900);
            append(ids, std::vector<std::uint16_t>(static_cast<std::size_t>(document % 900), document));
            ends.push_back(document + 1);
        }
        write("many.bin", ids);
        write("many.idx", indexOf(8, 2, lengths, ends));
        const CorpusFiles files{{at("many.idx").toStdString()}};
        auto input = CorpusInput::open(files, 1).value();
        std::vector<CorpusPiece> pieces;
        while (auto piece = input.next().value())
            pieces.push_back(std::move(*piece));
        QVERIFY(pieces.size() > 10);
        for (std::size_t i = 0; i + 1 < pieces.size(); ++i) {
            const auto next = CorpusInput::open(files, 1, pieces[i].end).value().next().value();
            QVERIFY(next->begin == pieces[i + 1].begin && next->end == pieces[i + 1].end);
            QCOMPARE(next->rows.front().ids, pieces[i + 1].rows.front().ids);
            QCOMPARE(next->rows.back().id, pieces[i + 1].rows.back().id);
        }
    }

private:
    QString at(const QString& name) const { return m_folder.filePath(name); }
    void write(const QString& name, const std::string& bytes) const
    {
        QVERIFY(writeFileAtomically(at(name).toStdString(), bytes).ok());
    }

    static Result<std::vector<CorpusDocument>> read(const QString& file)
    {
        TRAINYARD_TRY(CorpusInput input, CorpusInput::open({{file.toStdString()}}, 1));
        TRAINYARD_TRY(const auto piece, input.next());
        SkipCounters counters;
        return parsePiece(*piece, counters);
    }

    ProgramOutcome prepare(const QStringList& files, const QString& out, const QStringList& options,
                           bool isRunningText = true) const
    {
        QDir(at(out)).removeRecursively();
        return runPrepareProgram(
            QStringList{"prepare"} + files +
            QStringList{"--out", at(out), "--seq-len", "64", "--dupe", "2", "--shards", "2"} +
            (isRunningText ? QStringList{"--objective", "gpt"} : QStringList()) + options);
    }

    QTemporaryDir m_folder;
};

QTEST_GUILESS_MAIN(TestIndexedInputs)
#include "tst_indexed_inputs.moc"
