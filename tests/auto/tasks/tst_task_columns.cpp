// Labelled examples in Parquet and Arrow, written by pyarrow, are those of the JSON lines that they were made
// from.
#include <QProcess>
#include <QTemporaryDir>
#include <QTest>

#include <filesystem>

#include "datasets/tasks/squad_questions.h"
#include "datasets/tasks/table_examples.h"
#include "datasets/tasks/tagged_sentences.h"
#include "engine/base/file.h"

using namespace trainyard;
namespace fs = std::filesystem;

namespace {

const char* const kSentences = "{\"sentence\": \"The cat\\nsat.\", \"label\": \"good\", \"idx\": 1}\n"
                               "{\"sentence\": \"K\u00f6ln\", \"label\": \"bad\", \"idx\": 2}\n"
                               "{\"sentence\": \"a\", \"label\": \"good\", \"idx\": 3}\n";
const char* const kScores = "{\"sentence1\": \"a\", \"sentence2\": \"b\", \"score\": 0.1}\n"
                            "{\"sentence1\": \"c\", \"sentence2\": \"d\", \"score\": -2.5}\n";
const char* const kPrompts = "{\"prompt\": \"2 + 2 =\", \"completion\": \" 4\"}\n";
const char* const kTagged = "{\"tokens\": [\"K\u00f6ln\", \"is\"], \"ner_tags\": [\"B-LOC\", \"O\"]}\n"
                            "{\"tokens\": [\"a\"], \"ner_tags\": [\"O\"]}\n"
                            "{\"tokens\": [\"b\", \"c\"], \"ner_tags\": [\"O\", \"B-LOC\"]}\n";
const char* const kQuestionRows =
    "{\"id\": \"1\", \"title\": \"t\", \"context\": \"K\u00f6ln is old.\", \"question\": \"What?\", "
    "\"answers\": {\"text\": [\"old\", \"is old\"], \"answer_start\": [8, 5]}}\n"
    "{\"id\": \"2\", \"title\": \"t\", \"context\": \"K\u00f6ln is old.\", \"question\": \"Who?\", "
    "\"answers\": {\"text\": [], \"answer_start\": []}}\n"
    "{\"id\": \"3\", \"title\": \"t\", \"context\": \"Other.\", \"question\": \"Who?\", "
    "\"answers\": {\"text\": [\"Other\"], \"answer_start\": [0]}}\n";

QString saidBy(const Status& status)
{
    return status.ok() ? QString() : QString::fromStdString(status.error().text());
}

} // namespace

class TestTaskColumns : public QObject {
    Q_OBJECT

private slots:
    void init() { m_folder = std::make_unique<QTemporaryDir>(); }

    void holdTheRowsOfTheJsonLines_data()
    {
        QTest::addColumn<int>("kind");
        QTest::addColumn<QString>("lines");
        QTest::addColumn<QString>("form");
        for (const char* form : {"parquet", "arrow", "stream"}) {
            QTest::addRow("classes, %s", form) << int(TaskKind::Classify) << kSentences << form;
            QTest::addRow("numbers, %s", form) << int(TaskKind::Regress) << kScores << form;
            QTest::addRow("prompts, %s", form) << int(TaskKind::Complete) << kPrompts << form;
            QTest::addRow("tags, %s", form) << int(TaskKind::Tag) << kTagged << form;
        }
    }
    void holdTheRowsOfTheJsonLines()
    {
        QFETCH(int, kind);
        QFETCH(QString, lines);
        QFETCH(QString, form);
        TaskOptions options;
        options.kind = TaskKind(kind);
        const auto read = options.kind == TaskKind::Tag ? readTaggedSentences : readTableExamples;
        TaskExamples expected, actual;
        QCOMPARE(saidBy(read(write("a.jsonl", lines.toStdString()), options, expected)), QString());
        QCOMPARE(saidBy(read(table(lines, form), options, actual)), QString());
        QCOMPARE(actual.examples.size(), expected.examples.size());
        for (std::size_t i = 0; i < actual.examples.size(); ++i) {
            const TaskExample &a = actual.examples[i], &e = expected.examples[i];
            QCOMPARE(a.text, e.text);
            QCOMPARE(a.pair, e.pair);
            QCOMPARE(a.label, e.label);
            QVERIFY(a.words == e.words && a.tags == e.tags);
            QCOMPARE(a.line, e.line);
        }
        QCOMPARE(actual.labelColumn, expected.labelColumn);
    }

    void holdQuestions()
    {
        TaskExamples examples;
        QCOMPARE(saidBy(readSquadQuestions(table(kQuestionRows, "parquet"), examples)), QString());
        QCOMPARE(examples.examples.size(), std::size_t(3));
        const auto& [first, second, third] =
            std::tie(examples.examples[0], examples.examples[1], examples.examples[2]);
        QCOMPARE(first.answers.size(), std::size_t(2));
        QCOMPARE(first.answers[0].begin, std::size_t(9)); // in bytes: ö has two
        QCOMPARE(first.id, std::string("1"));
        QVERIFY(second.answers.empty());
        QCOMPARE(second.group, first.group); // of one context
        QVERIFY(third.group != first.group);
        QCOMPARE(third.pair, std::string("Other."));
    }

    void nameTheRowThatIsWrong()
    {
        TaskOptions options;
        options.kind = TaskKind::Regress;
        TaskExamples examples;
        const QString lines = "{\"text\": \"a\", \"label\": 1.5}\n{\"text\": \"  \", \"label\": 2.5}\n";
        const QString said = saidBy(readTableExamples(table(lines, "parquet"), options, examples));
        QVERIFY2(said.contains("table.parquet: row 2, column text: is empty"), qPrintable(said));
    }

    void nameTheColumnsThatThereAre()
    {
        TaskOptions options;
        options.kind = TaskKind::Classify;
        options.label = "stars";
        TaskExamples examples;
        const QString said = saidBy(readTableExamples(table(kSentences, "arrow"), options, examples));
        QVERIFY2(said.contains("table.arrow: there is no column \"stars\" among: idx, label, sentence"),
                 qPrintable(said));
    }

    void refuseDamage()
    {
        const fs::path whole = table(kSentences, "parquet");
        std::string bytes = readFile(whole).value();
        bytes[bytes.size() / 2] ^= 0x55;
        TaskOptions options;
        options.kind = TaskKind::Classify;
        TaskExamples examples;
        const Status changed = readTableExamples(write("damaged.parquet", bytes), options, examples);
        if (!changed.ok())
            QVERIFY(changed.error().kind == ErrorKind::BadInput);
        const Status cut =
            readTableExamples(write("cut.parquet", bytes.substr(0, bytes.size() / 2)), options, examples);
        QVERIFY(!cut.ok());
        QVERIFY2(saidBy(cut).contains("cut.parquet: the file is damaged or truncated"),
                 qPrintable(saidBy(cut)));
        const Status none =
            readTableExamples(write("text.parquet", "text\tlabel\na\tb\n"), options, examples);
        QVERIFY2(saidBy(none).contains("text.parquet is no Parquet or Arrow file"), qPrintable(saidBy(none)));
    }

private:
    fs::path write(const char* name, const std::string& text) const
    {
        const fs::path path = fs::path(m_folder->path().toStdString()) / name;
        if (!writeFileAtomically(path, text).ok())
            qFatal("cannot write %s", name);
        return path;
    }

    fs::path table(const QString& lines, const QString& form) const
    {
        const fs::path objects = write("objects.jsonl", lines.toStdString());
        const QString name = QString("table.") + (form == "parquet" ? "parquet" : "arrow");
        const QString target = m_folder->filePath(name);
        if (QProcess::execute(TRAINYARD_SOURCE_DIR "/tests/auto/tasks/write_task_tables.py",
                              {QString::fromStdString(objects.string()), target, form}) != 0)
            qFatal("cannot write %s", qPrintable(name));
        return target.toStdString();
    }

    std::unique_ptr<QTemporaryDir> m_folder;
};

QTEST_GUILESS_MAIN(TestTaskColumns)
#include "tst_task_columns.moc"
