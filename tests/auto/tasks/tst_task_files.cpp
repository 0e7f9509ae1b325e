#include <QTemporaryDir>
#include <QTest>

#include <filesystem>

#include "datasets/tasks/label_names.h"
#include "datasets/tasks/task_files.h"
#include "engine/base/file.h"

using namespace trainyard;
namespace fs = std::filesystem;

namespace {

/// "text | pair | label" of every example.
QStringList print(const TaskExamples& examples)
{
    QStringList lines;
    for (const TaskExample& example : examples.examples)
        lines << QString::fromStdString(example.text + " | " + example.pair + " | " + example.label);
    return lines;
}

QString errorOf(const Result<SplitExamples>& result)
{
    return result.ok() ? QString() : QString::fromStdString(result.error().text());
}

const char* const kQuestions = R"({"version": "v2.0", "data": [{"title": "T", "paragraphs": [
  {"context": "Köln lies on the Rhine.", "qas": [
    {"id": "q1", "question": "Where?", "answers": [{"text": "the Rhine", "answer_start": 13}],
     "is_impossible": false},
    {"id": "q2", "question": "Who?", "answers": [], "is_impossible": true}]}]}]})";

} // namespace

class TestTaskFiles : public QObject {
    Q_OBJECT

private slots:
    void init() { m_folder = std::make_unique<QTemporaryDir>(); }

    void readsTables_data()
    {
        QTest::addColumn<QString>("name");
        QTest::addColumn<QString>("text");
        QTest::addColumn<QStringList>("examples");
        const auto row = [](const char* test, const char* name, const char* text,
                            const QStringList& examples) {
            QTest::addRow("%s", test) << name << text << examples;
        };
        row("SST-2", "train.tsv", "sentence\tlabel\nhide new \"secretions \t0\nfine\t1\n",
            {"hide new \"secretions  |  | 0", "fine |  | 1"});
        row("CoLA, which has no header", "train.tsv", "gj04\t1\t\tOur friends.\ngj04\t0\t*\tFriends our.\n",
            {"Our friends. |  | 1", "Friends our. |  | 0"});
        row("MRPC", "train.tsv",
            "\xEF\xBB\xBFQuality\t#1 ID\t#2 ID\t#1 String\t#2 String\r\n1\t7\t8\tA\tB\r\n", {"A | B | 1"});
        row("MNLI", "train.tsv",
            "index\tsentence1\tsentence2\tlabel1\tgold_label\n0\tA\tB\tneutral\tentailment\n",
            {"A | B | entailment"});
        row("QNLI", "train.tsv", "index\tquestion\tsentence\tlabel\n0\tWhat?\tThis.\tnot_entailment\n",
            {"What? | This. | not_entailment"});
        row("QQP", "train.tsv", "id\tqid1\tqid2\tquestion1\tquestion2\tis_duplicate\n0\t1\t2\tA\tB\t0\n",
            {"A | B | 0"});
        row("CSV with quotation", "train.csv", "text,label\n\"one, two\",good\n\nthree,bad\n",
            {"one, two |  | good", "three |  | bad"});
        row("JSON lines", "train.jsonl",
            "{\"premise\": \"A\", \"hypothesis\": \"B\", \"label\": 2}\n\n{\"label\": \"x\", \"hypothesis\": "
            "\"D\", "
            "\"premise\": \"C\"}\n",
            {"A | B | 2", "C | D | x"});
        row("JSON lines with more", "train.jsonl",
            "{\"text\": \"A\", \"label\": true, \"source\": {\"page\": 1}, \"words\": [1]}\n",
            {"A |  | true"});
    }
    void readsTables()
    {
        QFETCH(QString, name);
        QFETCH(QString, text);
        QFETCH(QStringList, examples);
        const auto read = readTaskFiles(options(TaskKind::Classify, {write(name, text)}));
        QCOMPARE(errorOf(read), QString());
        QCOMPARE(print(read->training), examples);
    }

    void takesTheColumnsOfTheOptions()
    {
        PrepareOptions o = options(TaskKind::Classify, {write("a.tsv", "x\ty\tz\nA\tB\t1\nC\tD\t0\n")});
        o.task.text = "z";
        o.task.label = "1";
        QCOMPARE(print(readTaskFiles(o)->training), QStringList({"1 |  | A", "0 |  | C"}));
        o.task.pair = "y";
        o.task.noHeader = true;
        o.task.text = "3";
        o.task.pair = "2";
        QCOMPARE(print(readTaskFiles(o)->training), QStringList({"z | y | x", "1 | B | A", "0 | D | C"}));
    }

    void readsPromptsAndNumbers()
    {
        const auto prompts = readTaskFiles(options(
            TaskKind::Complete, {write("p.jsonl", "{\"prompt\": \"2 + 2 =\", \"completion\": \"4\"}\n")}));
        QCOMPARE(print(prompts->training), QStringList({"2 + 2 = | 4 | "}));
        const auto numbers = readTaskFiles(options(
            TaskKind::Regress, {write("s.tsv", "index\tsentence1\tsentence2\tscore\n0\tA\tB\t3.25\n")}));
        QCOMPARE(print(numbers->training), QStringList({"A | B | 3.25"}));
    }

    void readsTaggedWords_data()
    {
        QTest::addColumn<QString>("name");
        QTest::addColumn<QString>("text");
        QTest::addRow("CoNLL 2003")
            << "train.txt"
            << "-DOCSTART- -X- -X- O\n\nEU NNP B-NP B-ORG\nrejects VBZ B-VP O\n\n\nPeter NNP "
               "B-NP B-PER\n";
        QTest::addRow("tabs, comments") << "train.conll"
                                        << "# id 1\nEU\tB-ORG\r\nrejects\tO\r\n\r\nPeter\tB-PER";
        QTest::addRow("JSON lines")
            << "train.jsonl"
            << "{\"tokens\": [\"EU\", \"rejects\"], \"tags\": [\"B-ORG\", \"O\"]}\n{\"tokens\": [\"Peter\"], "
               "\"tags\": [\"B-PER\"]}\n";
    }
    void readsTaggedWords()
    {
        QFETCH(QString, name);
        QFETCH(QString, text);
        const auto read = readTaskFiles(options(TaskKind::Tag, {write(name, text)}));
        QCOMPARE(errorOf(read), QString());
        const auto& sentences = read->training.examples;
        QCOMPARE(sentences.size(), std::size_t(2));
        QCOMPARE(sentences[0].words, std::vector<std::string>({"EU", "rejects"}));
        QCOMPARE(sentences[0].tags, std::vector<std::string>({"B-ORG", "O"}));
        QCOMPARE(sentences[1].words, std::vector<std::string>({"Peter"}));
        const auto labels = LabelNames::create(read->training, options(TaskKind::Tag, {}).task).value();
        QCOMPARE(labels.names(), std::vector<std::string>({"B-ORG", "B-PER", "O"}));
    }

    void readsQuestions()
    {
        const auto read = readTaskFiles(options(TaskKind::Answer, {write("q.json", kQuestions)}));
        QCOMPARE(errorOf(read), QString());
        const auto& questions = read->training.examples;
        QCOMPARE(questions.size(), std::size_t(2));
        QCOMPARE(questions[0].answers.size(), std::size_t(1));
        QCOMPARE(questions[0].answers[0].begin, std::size_t(14)); // a character before it has two bytes
        QVERIFY(questions[1].answers.empty());
        QCOMPARE(questions[0].group, questions[1].group);
    }

    void namesThePlaceOfTheProblem_data()
    {
        QTest::addColumn<int>("kind");
        QTest::addColumn<QString>("name");
        QTest::addColumn<QString>("text");
        QTest::addColumn<QString>("said");
        const auto row = [](const char* test, TaskKind kind, const char* name, QString text,
                            const char* said) {
            QTest::addRow("%s", test) << int(kind) << name << text << said;
        };
        row("missing column", TaskKind::Classify, "a.tsv", "text\tclass\nA\tB\n",
            "a.tsv: line 1: there is no column \"label\" among: text, class");
        row("missing cell", TaskKind::Classify, "a.tsv", "text\tlabel\nA\t1\nB\n",
            "a.tsv: line 3 has 1 column instead of 2");
        row("empty label", TaskKind::Classify, "a.csv", "text,label\nA,1\nB,\n",
            "a.csv: line 3, column label: is empty");
        row("open quotation", TaskKind::Classify, "a.csv", "text,label\nA,1\n\"B,2\n",
            "line 3: a quotation mark");
        row("no number", TaskKind::Regress, "a.tsv", "text\tlabel\nA\t1\nB\tgood\n",
            "a.tsv: line 3, column label: \"good\" is not a number");
        row("infinite number", TaskKind::Regress, "a.tsv", "text\tlabel\nA\tinf\n", "is not a number");
        row("no JSON", TaskKind::Classify, "a.jsonl", "{\"text\": \"A\", \"label\": 1}\n[1]\n",
            "a.jsonl: line 2 is no JSON object");
        row("list of classes", TaskKind::Classify, "a.jsonl",
            "{\"text\": \"A\", \"label\": 1}\n{\"text\": \"B\", \"label\": [\"x\", \"y\"]}\n",
            "a.jsonl: line 2, column label: is a list or an object, and an example has one class");
        row("list of one class", TaskKind::Classify, "a.jsonl", "{\"text\": \"A\", \"label\": [1]}\n",
            "several labels for an example are not supported");
        row("list of completions", TaskKind::Complete, "a.jsonl",
            "{\"prompt\": \"A\", \"completion\": [\"B\"]}\n",
            "a.jsonl: line 1, column completion: is a list or an object, not a text");
        row("missing key", TaskKind::Complete, "a.jsonl", "{\"prompt\": \"A\"}\n",
            "there is no column \"completion\"");
        row("missing value", TaskKind::Complete, "a.jsonl",
            "{\"prompt\": \"A\", \"completion\": \"B\"}\n{\"prompt\": \"C\"}\n",
            "a.jsonl: line 2, column completion: is empty");
        row("word without a tag", TaskKind::Tag, "a.conll", "EU B-ORG\nrejects\n",
            "a.conll: line 2, column 2: is missing");
        row("fewer tags than words", TaskKind::Tag, "a.jsonl",
            "{\"tokens\": [\"a\", \"b\"], \"tags\": [\"O\"]}\n",
            "a.jsonl: line 1, column tags: has 1 entry for 2 words");
        row("answer elsewhere", TaskKind::Answer, "q.json", QString(kQuestions).replace("13", "14"),
            "data[0].paragraphs[0].qas[0] (id q1): answers[0] says that \"the Rhine\" is at character 14 of "
            "the "
            "context, and \"he Rhine.\" is there");
        row("answer behind the context", TaskKind::Answer, "q.json",
            QString(kQuestions).replace("13", "1300"), "says that \"the Rhine\" is at character 1300");
        row("no answer", TaskKind::Answer, "q.json", QString(kQuestions).replace("true", "false"),
            "(id q2): answers is empty, and is_impossible is not true");
        row("no context", TaskKind::Answer, "q.json", QString(kQuestions).replace("\"context\"", "\"text\""),
            "data[0].paragraphs[0]: context is missing");
        row("no SQuAD", TaskKind::Answer, "q.json", "{\"rows\": []}", "q.json: the file: data is missing");
        row("broken JSON", TaskKind::Answer, "q.json", "{\"data\": [\n1,", "q.json");
        row("no row", TaskKind::Classify, "a.tsv", "text\tlabel\n",
            "a.tsv: there is no row below line 1, the header");
        row("column twice", TaskKind::Classify, "a.tsv", "text\tlabel\tlabel\nA\t1\t2\n",
            "a.tsv: line 1: there are 2 columns \"label\"");
        row("no second sentence", TaskKind::Classify, "a.tsv", "sentence1\tlabel\nA\t1\n",
            "a.tsv: line 1: there is no column \"text\" among: sentence1, label");
        row("empty text", TaskKind::Regress, "a.tsv", "text\tlabel\n \t1\n",
            "a.tsv: line 2, column text: is empty");
        row("line with fewer columns", TaskKind::Tag, "a.conll", "EU NNP B-NP B-ORG\nrejects VBZ O\n",
            "a.conll: line 2 has 3 columns, and those before have 4");
        row("no list of tags", TaskKind::Tag, "a.jsonl", "{\"tokens\": [\"a\"]}\n",
            "a.jsonl: line 1, column tags: is missing, or no list");
        row("empty tag", TaskKind::Tag, "a.jsonl",
            "\n{\"tokens\": [\"a\", \"b\"], \"tags\": [\"O\", \"\"]}\n",
            "a.jsonl: line 2, column tags: entry 2 is empty, or no text");
        row("word that is a list", TaskKind::Tag, "a.jsonl", "{\"tokens\": [[\"a\"]], \"tags\": [\"O\"]}\n",
            "column tokens: entry 1 is empty, or no text");
        row("line of a question", TaskKind::Answer, "q.json", QString(kQuestions).replace("13", "14"),
            "q.json: line 3: data[0].paragraphs[0].qas[0] (id q1)");
        row("no line in one", TaskKind::Answer, "q.json",
            QString(kQuestions).replace("13", "14").remove('\n'), "q.json: data[0].paragraphs[0].qas[0]");
        row("negative offset", TaskKind::Answer, "q.json", QString(kQuestions).replace("13", "-1"),
            "q.json: line 3: data[0].paragraphs[0].qas[0] (id q1): answers[0].answer_start is missing, or no "
            "number of at least 0");
        row("offset as a text", TaskKind::Answer, "q.json", QString(kQuestions).replace("13", "\"13\""),
            "answers[0].answer_start is missing, or no number");
        row("no offset", TaskKind::Answer, "q.json", QString(kQuestions).replace("answer_start", "start"),
            "answers[0].answer_start is missing");
        row("no question", TaskKind::Answer, "q.json", QString(kQuestions).replace("Where?", " "),
            "(id q1): question is empty");
        row("empty context", TaskKind::Answer, "q.json",
            QString(kQuestions).replace("Köln lies on the Rhine.", ""),
            "data[0].paragraphs[0]: context is empty");
        row("answer that is impossible", TaskKind::Answer, "q.json",
            QString(kQuestions).replace("false", "true"),
            "(id q1): answers is not empty, and is_impossible is true");
        row("nothing", TaskKind::Classify, "a.tsv", "\n", "a.tsv has no rows");
        row("no sentence", TaskKind::Tag, "a.conll", "\n\n", "a.conll has no sentence");
    }
    void namesThePlaceOfTheProblem()
    {
        QFETCH(int, kind);
        QFETCH(QString, name);
        QFETCH(QString, text);
        QFETCH(QString, said);
        const auto read = readTaskFiles(options(TaskKind(kind), {write(name, text)}));
        QVERIFY(!read.ok());
        QCOMPARE(read.error().kind, ErrorKind::BadInput);
        QVERIFY2(errorOf(read).contains(said), qPrintable(errorOf(read)));
    }

    /// The tag is where --label says, however many columns follow.
    void linesOfOtherWidthsAreFineForAColumnThatIsNamed()
    {
        PrepareOptions o = options(TaskKind::Tag, {write("a.conll", "\xEF\xBB\xBF"
                                                                    "EU B-ORG x\nrejects O\n")});
        o.task.label = "2";
        const auto read = readTaskFiles(o);
        QCOMPARE(errorOf(read), QString());
        QCOMPARE(read->training.examples.front().words, std::vector<std::string>({"EU", "rejects"}));
        QCOMPARE(read->training.examples.front().tags, std::vector<std::string>({"B-ORG", "O"}));
    }

    void namesTheFileWhoseLabelsAreTooFew()
    {
        const PrepareOptions o = options(TaskKind::Classify, {write("a.tsv", "text\tmark\nA\t1\nB\t1\n")});
        PrepareOptions named = o;
        named.task.label = "mark";
        const auto read = readTaskFiles(named).value();
        const auto labels = LabelNames::create(read.training, named.task);
        QVERIFY(!labels.ok());
        const QString text = QString::fromStdString(labels.error().text());
        QVERIFY2(text.contains("a.tsv: column mark: the examples have 1 label"), qPrintable(text));
    }

    void takesGluesFolder()
    {
        write("train.tsv", "sentence\tlabel\nA\t0\nB\t1\n");
        PrepareOptions o = options(TaskKind::Classify, {path()});
        o.testFraction = 0;
        QVERIFY(readTaskFiles(o)->heldOut.examples.empty());
        write("dev_matched.tsv", "sentence\tlabel\nC\t0\n");
        QCOMPARE(print(readTaskFiles(o)->heldOut), QStringList({"C |  | 0"}));
        write("dev.tsv", "sentence\tlabel\nD\t0\n");
        QCOMPARE(print(readTaskFiles(o)->heldOut), QStringList({"D |  | 0"}));
        o.task.heldOut = {write("own.tsv", "sentence\tlabel\nE\t1\n")};
        QCOMPARE(print(readTaskFiles(o)->heldOut), QStringList({"E |  | 1"}));
        fs::remove(path() / "train.tsv");
        QVERIFY(errorOf(readTaskFiles(o)).contains("has no train.tsv"));
    }

    void holdsOutAShareOfTheExamples()
    {
        QString text = "sentence\tlabel\n";
        for (int i = 0; i < 1000; ++i)
            text += QString("sentence %1\t%2\n").arg(i).arg(i % 2);
        PrepareOptions o = options(TaskKind::Classify, {write("a.tsv", text)});
        o.testFraction = 0.2;
        const auto split = readTaskFiles(o).value();
        QCOMPARE(split.training.examples.size() + split.heldOut.examples.size(), std::size_t(1000));
        QVERIFY(split.heldOut.examples.size() > 150 && split.heldOut.examples.size() < 250);
        QCOMPARE(print(readTaskFiles(o)->heldOut), print(split.heldOut));
        o.instances.seed = 7;
        QVERIFY(print(readTaskFiles(o)->heldOut) != print(split.heldOut));
    }

    void numbersLabelsByTheirOrder()
    {
        TaskExamples examples;
        for (const char* label : {"10", "9", "-1", "9"})
            examples.examples.emplace_back().label = label;
        TaskOptions task;
        task.kind = TaskKind::Classify;
        QCOMPARE(LabelNames::create(examples, task)->names(), std::vector<std::string>({"-1", "9", "10"}));
        examples.examples.emplace_back().label = "b";
        QCOMPARE(LabelNames::create(examples, task)->names(),
                 std::vector<std::string>({"-1", "10", "9", "b"}));
        task.labels = {"b", "9"};
        const auto given = LabelNames::create(examples, task).value();
        QCOMPARE(given.numberOf("b"), 0);
        QCOMPARE(given.numberOf("10"), -1);
        task.labels = {"b", "b"};
        QVERIFY(!LabelNames::create(examples, task).ok());
        task.labels = {"b"};
        QVERIFY(!LabelNames::create(examples, task).ok());
    }

private:
    fs::path path() const { return fs::path(m_folder->path().toStdString()); }

    fs::path write(const QString& name, const QString& text) const
    {
        const fs::path file = path() / name.toStdString();
        if (!writeFileAtomically(file, text.toStdString()).ok())
            qWarning("cannot write %s", file.c_str());
        return file;
    }

    static PrepareOptions options(TaskKind kind, std::vector<fs::path> files)
    {
        PrepareOptions options;
        options.task.kind = kind;
        options.dumps = std::move(files);
        options.testFraction = 0;
        return options;
    }

    std::unique_ptr<QTemporaryDir> m_folder;
};

QTEST_APPLESS_MAIN(TestTaskFiles)
#include "tst_task_files.moc"
