#include <QDir>
#include <QTemporaryDir>
#include <QTest>

#include <filesystem>
#include <fstream>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "datasets/prepare/preparation.h"
#include "datasets/shards/columns.h"
#include "datasets/shards/shard_reader.h"
#include "datasets/tasks/task_encoder.h"
#include "datasets/tokenizer/unicode_tables.h"
#include "datasets/tokenizer/wordpiece.h"
#include "datasets/verification/verification.h"
#include "engine/base/file.h"
#include "engine/base/hash.h"

using namespace trainyard;
namespace fs = std::filesystem;

namespace {

const char* const kVocabulary =
    "[PAD]\n[UNK]\n[CLS]\n[SEP]\n[MASK]\nthe\ncat\nsat\n##s\nkoln\non\nrhine\nwhere\n?\n.\n"
    "is\n4\n##2\n+\n=\na\ngood\nbad\n";

/// The pieces of a row, its padding left out.
QString pieces(const RowBlock& rows, std::size_t row, const Vocabulary& vocabulary)
{
    QStringList texts;
    const auto length = static_cast<std::size_t>(rows.sequenceLength);
    for (std::size_t i = row * length; i < (row + 1) * length && rows.inputMask[i]; ++i)
        texts << QString::fromStdString(vocabulary.piece(rows.inputIds[i]));
    return texts.join(' ');
}

QString join(const std::vector<std::int32_t>& values, std::size_t first, std::size_t count)
{
    return QString::fromStdString(
        fmt::format("{}", fmt::join(values.begin() + std::ptrdiff_t(first),
                                    values.begin() + std::ptrdiff_t(first + count), " ")));
}

QString textOf(const Result<std::vector<PreparedDataset>>& result)
{
    return result.ok() ? QString() : QString::fromStdString(result.error().text());
}

} // namespace

class TestTaskRows : public QObject {
    Q_OBJECT

private slots:
    void init()
    {
        m_folder = std::make_unique<QTemporaryDir>();
        write("vocab.txt", kVocabulary);
    }

    void classifiesPairs()
    {
        const RowBlock rows = trainingRows(options(
            TaskKind::Classify, "sentence1\tsentence2\tlabel\nThe cat\tsat.\tbad\na cat\ta cats\tgood\n"));
        QCOMPARE(pieces(rows, 0, vocabulary()), "[CLS] the cat [SEP] sat . [SEP]");
        QCOMPARE(QByteArray(reinterpret_cast<const char*>(rows.segmentIds.data()), 8),
                 QByteArray("\0\0\0\0\1\1\1\0", 8));
        QCOMPARE(rows.labels, std::vector<std::int32_t>({0, 1})); // bad, good
        QCOMPARE(m_manifest.task.labels, std::vector<std::string>({"bad", "good"}));
        QCOMPARE(m_manifest.shards.front().file, std::string("classify_training_0.hdf5"));
    }

    // "the cat sat" and "on the rhine where is" have eight pieces, and five fit beside three special tokens:
    // half of them for each.
    void cutsBothSidesOfALongPair()
    {
        PrepareOptions o =
            options(TaskKind::Classify, "sentence1\tsentence2\tlabel\nthe cat sat\ton the rhine where "
                                        "is\t0\na\ta\t1\n");
        o.shapes = {{8, 1}};
        const RowBlock rows = trainingRows(o);
        QCOMPARE(pieces(rows, 0, vocabulary()), "[CLS] the cat [SEP] on the rhine [SEP]");
        QCOMPARE(m_manifest.counters.at("rows_cut"), std::uint64_t(1));
    }

    void keepsNumbers()
    {
        const RowBlock rows = trainingRows(options(TaskKind::Regress, "text\tlabel\ncat\t-0.1\nsat\t4e3\n"));
        QCOMPARE(pieces(rows, 0, vocabulary()), "[CLS] cat [SEP]");
        QCOMPARE(rows.values, std::vector<double>({-0.1, 4000}));
    }

    void labelsTheFirstPieceOfAWord()
    {
        const RowBlock rows = trainingRows(
            options(TaskKind::Tag, "The O\ncats B-X\n\u200b O\nsat O\n\nRhine B-X\n", "a.conll"));
        QCOMPARE(pieces(rows, 0, vocabulary()), "[CLS] the cat ##s [UNK] sat [SEP]");
        QCOMPARE(join(rows.labels, 0, 8), "-100 1 0 -100 1 1 -100 -100"); // B-X 0, O 1
    }

    void labelsCompletionsAlone()
    {
        const RowBlock rows = trainingRows(options(TaskKind::Complete,
                                                   R"({"prompt": "4 + 4 =", "completion": "42"})"
                                                   "\n",
                                                   "a.jsonl"));
        QCOMPARE(pieces(rows, 0, vocabulary()), "4 + 4 = 4 ##2 [SEP]");
        QCOMPARE(join(rows.labels, 0, 8), "-100 -100 -100 -100 16 17 3 -100");
    }

    void findsTheAnswerInTheRow()
    {
        const RowBlock rows = trainingRows(
            options(TaskKind::Answer, questions("Köln is on the Rhine.", "the Rhine", 11), "q.json"));
        QCOMPARE(pieces(rows, 0, vocabulary()), "[CLS] where ? [SEP] koln is on the rhine . [SEP]");
        QCOMPARE(rows.startPositions[0], 7);
        QCOMPARE(rows.endPositions[0], 8);
        // Bytes of the context: ö has two.
        QCOMPARE(join(rows.tokenBegins, 0, 12), "-1 -1 -1 -1 0 6 9 12 16 21 -1 -1");
        QCOMPARE(join(rows.tokenEnds, 0, 12), "-1 -1 -1 -1 5 8 11 15 21 22 -1 -1");
    }

    // Rows of 12 tokens have room for 7 of the context's 10, of which the next one repeats 2.
    void dividesALongContext()
    {
        PrepareOptions o =
            options(TaskKind::Answer, questions("a cat sat on the Rhine . is a cat", "Rhine", 17), "q.json");
        o.shapes = {{12, 1}};
        o.task.docStride = 2;
        const RowBlock rows = trainingRows(o);
        QCOMPARE(rows.rows, std::size_t(2));
        QCOMPARE(pieces(rows, 0, vocabulary()), "[CLS] where ? [SEP] a cat sat on the rhine . [SEP]");
        QCOMPARE(pieces(rows, 1, vocabulary()), "[CLS] where ? [SEP] rhine . is a cat [SEP]");
        QCOMPARE(rows.startPositions, std::vector<std::int32_t>({9, 4}));
        QCOMPARE(rows.endPositions, std::vector<std::int32_t>({9, 4}));
        QCOMPARE(rows.questions, std::vector<std::int64_t>({0, 0}));
    }

    // Every piece is where the tokenizer says, and the pieces are those of the tokenizer.
    void alignsPiecesWithTheText()
    {
        const Vocabulary words = vocabulary();
        const WordPiece tokenizer(words, huggingFaceTables(), false);
        for (const std::string text :
             {"The CATS sat, on  Köln?", "42cats", "x\u00adKöln\u0301 é", "", "\u4e2dthe"}) {
            std::vector<AlignedPiece> aligned;
            std::vector<std::int32_t> ids;
            tokenizer.encodeAligned(text, aligned);
            tokenizer.encode(text, ids);
            QCOMPARE(aligned.size(), ids.size());
            std::size_t before = 0;
            for (std::size_t i = 0; i < ids.size(); ++i) {
                QCOMPARE(aligned[i].id, ids[i]);
                QVERIFY(aligned[i].begin <= aligned[i].end && aligned[i].end <= text.size());
                QVERIFY(aligned[i].begin >= before);
                before = aligned[i].begin;
            }
        }
        std::vector<AlignedPiece> pieces;
        tokenizer.encodeAligned("a cats", pieces);
        QCOMPARE(pieces.size(), std::size_t(3));
        QCOMPARE(pieces[1].begin, std::size_t(2));
        QCOMPARE(pieces[1].end, std::size_t(5));
        QCOMPARE(pieces[2].begin, std::size_t(5));
        QCOMPARE(pieces[2].end, std::size_t(6));
    }

    void writesTheQuestionsOfTheTestRows()
    {
        PrepareOptions o =
            options(TaskKind::Answer, questions("Köln is on the Rhine.", "the Rhine", 11), "q.json");
        o.task.heldOut = {write("dev.json", questions("The cat sat.", "sat", 8))};
        prepare(o);
        QCOMPARE(m_manifest.testRows(), std::uint64_t(1));
        QCOMPARE(
            readFile(path() / "set" / m_manifest.task.questionsFile).value(),
            "{\"id\":\"q\",\"context\":\"The cat sat.\",\"question\":\"Where?\",\"answers\":[\"sat\"]}\n");
        QCOMPARE(m_manifest.task.heldOut, std::vector<std::string>({"dev.json"}));
        QCOMPARE(m_manifest.task.questionsSha256,
                 sha256OfFile(path() / "set" / m_manifest.task.questionsFile).value());
        QCOMPARE(Manifest::load(path() / "set").value().task, m_manifest.task);
    }

    void verifiesWhatItPrepared_data()
    {
        QTest::addColumn<int>("kind");
        QTest::addColumn<QString>("text");
        QTest::addColumn<QString>("name");
        QTest::addColumn<QString>("sample");
        QTest::addRow("classify") << int(TaskKind::Classify) << "text\tlabel\ncat\ta\nsat\tb\n"
                                  << "a.tsv"
                                  << "row 0: a\n  [CLS] cat [SEP]\n";
        QTest::addRow("regress") << int(TaskKind::Regress) << "text\tlabel\ncat\t1.5\nsat\t2\n"
                                 << "a.tsv"
                                 << "row 0: 1.5\n  [CLS] cat [SEP]\n";
        QTest::addRow("tag") << int(TaskKind::Tag) << "cats B-X\nxyz O\n"
                             << "a.conll"
                             << "row 0\n  [CLS] cats/B-X [UNK]/O [SEP]\n";
        QTest::addRow("answer") << int(TaskKind::Answer)
                                << questions("Köln is on the Rhine.", "the Rhine", 11) << "q.json"
                                << "row 0\n  [CLS] where ? [SEP] koln is on {the rhine} . [SEP]\n";
        QTest::addRow("complete") << int(TaskKind::Complete) << "prompt\tcompletion\ncat\tsat\n"
                                  << "a.tsv"
                                  << "row 0\n  cat {sat [SEP]}\n";
    }
    void verifiesWhatItPrepared()
    {
        QFETCH(int, kind);
        QFETCH(QString, text);
        QFETCH(QString, name);
        QFETCH(QString, sample);
        prepare(options(TaskKind(kind), text, name));
        const Manifest again = Manifest::load(path() / "set").value();
        QCOMPARE(again.taskKind(), TaskKind(kind));
        QVERIFY(again.task == m_manifest.task);
        Progress progress;
        CancelFlag cancel;
        const VerifyOptions options{.folder = path() / "set", .vocabulary = {}, .samples = 1};
        const auto report = verifyDataset(options, progress, cancel).value();
        QStringList problems;
        for (const Violation& violation : report.violations)
            problems << QString::fromStdString(violation.text());
        QCOMPARE(problems, QStringList());
        QCOMPARE(report.samples.size(), std::size_t(1));
        QCOMPARE(QString::fromStdString(toText(report.samples.front())).section(".hdf5, ", 1), sample);
        QCOMPARE(report.statistics.rowTokens, again.statistics.rowTokens);
    }

    void findsOtherQuestions()
    {
        prepare(options(TaskKind::Answer, questions("Köln is on the Rhine.", "the Rhine", 11), "q.json"));
        QVERIFY(writeFileAtomically(path() / "set" / m_manifest.task.questionsFile, "{}\n").ok());
        Progress progress;
        CancelFlag cancel;
        const VerifyOptions options{.folder = path() / "set", .vocabulary = {}, .samples = 0};
        const auto report = verifyDataset(options, progress, cancel).value();
        QCOMPARE(report.violations.size(), std::size_t(1));
        QVERIFY(report.violations[0].text().find("questions") != std::string::npos);
    }

    void findsDamage()
    {
        prepare(options(TaskKind::Classify, "text\tlabel\ncat\ta\nsat\tb\n"));
        const fs::path shard = path() / "set" / m_manifest.shards.front().file;
        std::fstream file(shard, std::ios::in | std::ios::out | std::ios::binary);
        file.seekp(static_cast<std::streamoff>(fs::file_size(shard)) - 5);
        file.put('\x7f');
        file.close();
        Progress progress;
        CancelFlag cancel;
        const auto report =
            verifyDataset({.folder = path() / "set", .vocabulary = {}, .samples = 0}, progress, cancel)
                .value();
        QVERIFY(!report.ok());
    }

    void sameFilesGiveTheSameBytes()
    {
        const PrepareOptions o = options(TaskKind::Tag, "cats B-X\nxyz O\n\nsat O\n", "a.conll");
        prepare(o);
        const Manifest first = m_manifest;
        prepare(o);
        QCOMPARE(m_manifest.toJson(), first.toJson());
    }

    void refusesWhatItCannotPrepare_data()
    {
        QTest::addColumn<int>("kind");
        QTest::addColumn<QString>("text");
        QTest::addColumn<QString>("name");
        QTest::addColumn<QString>("said");
        QTest::addRow("long prompt")
            << int(TaskKind::Complete) << "prompt\tcompletion\n" + QString("cat ").repeated(40) + "\tsat\n"
            << "a.tsv"
            << "a.tsv: line 2, column completion: prompt and completion have 42 tokens, and "
               "a row has 16";
        QTest::addRow("one class") << int(TaskKind::Classify) << "text\tlabel\ncat\ta\n"
                                   << "a.tsv"
                                   << "a.tsv: column label: the examples have 1 label";
        QTest::addRow("unknown tag")
            << int(TaskKind::Tag) << "cat O\nsat B-X\n\nsat Z\n"
            << "a.conll"
            << "a.conll: line 4, column of the tags, word 1 \"sat\": unknown label \"Z\"";
    }
    void refusesWhatItCannotPrepare()
    {
        QFETCH(int, kind);
        QFETCH(QString, text);
        QFETCH(QString, name);
        QFETCH(QString, said);
        PrepareOptions o = options(TaskKind(kind), text, name);
        if (TaskKind(kind) == TaskKind::Tag)
            o.task.labels = {"O", "B-X"};
        Progress progress;
        CancelFlag cancel;
        const auto result = prepareDataset(o, progress, cancel);
        QVERIFY2(textOf(result).contains(said), qPrintable(textOf(result)));
        QVERIFY(!fs::exists(path() / "set"));
        QCOMPARE(
            QDir(m_folder->path()).entryList(QDir::AllEntries | QDir::Hidden | QDir::NoDotAndDotDot).size(),
            2);
    }

    void namesTheLabelThatTrainingFilesLack()
    {
        PrepareOptions o = options(TaskKind::Classify, "text\tlabel\ncat\ta\nsat\tb\n");
        o.task.heldOut = {write("dev.tsv", "text\tlabel\ncat\tc\n")};
        Progress progress;
        CancelFlag cancel;
        const auto result = prepareDataset(o, progress, cancel);
        QVERIFY2(textOf(result).contains("dev.tsv: line 2, column label: unknown label \"c\""),
                 qPrintable(textOf(result)));
        QVERIFY(textOf(result).contains("the labels are: a, b"));
    }

    void refusesOptionsOfACorpus()
    {
        PrepareOptions o = options(TaskKind::Classify, "text\tlabel\ncat\ta\nsat\tb\n");
        o.trainVocabulary = 100;
        Progress progress;
        CancelFlag cancel;
        QVERIFY(textOf(prepareDataset(o, progress, cancel)).contains("--train-vocab cannot be combined"));
        o.trainVocabulary = 0;
        o.shapes = {{16, 1}, {32, 1}};
        QVERIFY(textOf(prepareDataset(o, progress, cancel)).contains("--seq-len has more values"));
        o.shapes = {{16, 1}};
        o.extra.mds = true;
        QVERIFY(textOf(prepareDataset(o, progress, cancel)).contains("--also cannot be combined"));
        o.extra = {};
        o.task.kind = TaskKind::None;
        o.task.labels = {"a", "b"};
        QVERIFY(textOf(prepareDataset(o, progress, cancel)).contains("--labels needs --task"));
    }

private:
    fs::path path() const { return fs::path(m_folder->path().toStdString()); }
    Vocabulary vocabulary() const { return Vocabulary::load(path() / "vocab.txt").value(); }

    fs::path write(const QString& name, const QString& text) const
    {
        const fs::path file = path() / name.toStdString();
        if (!writeFileAtomically(file, text.toStdString()).ok())
            qWarning("cannot write %s", file.c_str());
        return file;
    }

    static QString questions(const QString& context, const QString& answer, int start)
    {
        return QString(
                   R"({"data": [{"paragraphs": [{"context": "%1", "qas": [{"id": "q", "question": "Where?",
                        "answers": [{"text": "%2", "answer_start": %3}]}]}]}]})")
            .arg(context, answer)
            .arg(start);
    }

    PrepareOptions options(TaskKind kind, const QString& text, const QString& name = "a.tsv") const
    {
        PrepareOptions options;
        options.task.kind = kind;
        options.dumps = {write(name, text)};
        options.vocabulary = path() / "vocab.txt";
        options.out = path() / "set";
        options.shapes = {{16, 1}};
        options.testFraction = 0;
        return options;
    }

    void prepare(const PrepareOptions& options)
    {
        fs::remove_all(options.out);
        Progress progress;
        CancelFlag cancel;
        const auto sets = prepareDataset(options, progress, cancel);
        QCOMPARE(textOf(sets), QString());
        m_manifest = sets->front().manifest;
    }

    /// In the order of the shards.
    RowBlock trainingRows(PrepareOptions options)
    {
        options.trainingShards = 2;
        prepare(options);
        RowBlock all(m_manifest.sequenceLength, m_manifest.taskKind());
        for (const ShardEntry& entry : m_manifest.shards) {
            auto reader = ShardReader::openTask(path() / "set" / entry.file, m_manifest.sequenceLength,
                                                m_manifest.taskKind())
                              .value();
            RowBlock rows;
            if (!reader.read(0, reader.rows(), rows).ok())
                qWarning("cannot read %s", entry.file.c_str());
            const std::size_t first = all.rows;
            all.resize(first + rows.rows);
            for (const Column& column : taskColumns(m_manifest.taskKind())) {
                const std::size_t bytes =
                    column.valuesPerRow(all.sequenceLength, 0) * std::size_t(column.bytesPerValue);
                std::copy_n(column.data(rows), rows.rows * bytes, column.data(all) + first * bytes);
            }
        }
        return all;
    }

    std::unique_ptr<QTemporaryDir> m_folder;
    Manifest m_manifest;
};

QTEST_APPLESS_MAIN(TestTaskRows)
#include "tst_task_rows.moc"
