// Rows of tasks that are made with a tokenizer.json.
#include <QTemporaryDir>
#include <QTest>

#include <filesystem>

#include <nlohmann/json.hpp>

#include "datasets/prepare/preparation.h"
#include "datasets/shards/shard_reader.h"
#include "datasets/tasks/task_encoder.h"
#include "datasets/verification/verification.h"
#include "engine/base/file.h"
#include "engine/base/hash.h"

using namespace trainyard;
using nlohmann::json;
namespace fs = std::filesystem;

namespace {

using Ids = std::vector<std::int32_t>;

fs::path golden(const QString& tokenizer)
{
    return fs::path(TRAINYARD_SOURCE_DIR "/tests/golden/tasks") / tokenizer.toStdString();
}

json rowsOf(const QString& tokenizer)
{
    return json::parse(readFile(golden(tokenizer) / "rows.json").value());
}

Ids segmentsOf(const TaskRow& row)
{
    Ids segments(row.tokens.size(), 1);
    std::fill_n(segments.begin(), row.firstSegment, 0);
    return segments;
}

QString problemOf(const Result<std::vector<PreparedDataset>>& result)
{
    return result.ok() ? QString() : QString::fromStdString(result.error().text());
}

/// Rows of examples, as they are before they are padded.
class RowMaker {
public:
    RowMaker(const QString& tokenizer, TaskKind kind, const json& rows)
        : m_tokenizer(loadRowTokenizer(golden(tokenizer) / "tokenizer.json").value())
    {
        m_options.task.kind = kind;
        m_options.task.docStride = rows.at("stride");
        m_options.shapes = {{rows.at("length"), 1}};
        m_options.task.labels = {"yes", "no"};
        m_labels = LabelNames::create({}, m_options.task).value();
        m_encoder =
            std::make_unique<TaskEncoder>(TaskEncoder::create(m_options, m_tokenizer, m_labels).value());
    }

    std::vector<TaskRow> rows(const TaskExample& example)
    {
        std::vector<TaskRow> rows;
        TaskExamples examples;
        examples.files = {"examples"};
        if (const Status status = m_encoder->encode(examples, example, 0, rows); !status.ok())
            qFatal("%s", status.error().text().c_str());
        return rows;
    }

private:
    PrepareOptions m_options;
    RowTokenizer m_tokenizer;
    LabelNames m_labels;
    std::unique_ptr<TaskEncoder> m_encoder;
};

/// A BPE of letters with what decoders' files put before a text.
std::string decodersTokenizer()
{
    json vocabulary, added = json::array();
    for (char letter = 'a'; letter <= 'z'; ++letter)
        vocabulary[std::string(1, letter)] = vocabulary.size();
    for (const char* token : {"<|begin_of_text|>", "<|end_of_text|>"})
        added.push_back({{"id", vocabulary.size() + added.size()},
                         {"content", token},
                         {"single_word", false},
                         {"lstrip", false},
                         {"rstrip", false},
                         {"normalized", false},
                         {"special", true}});
    const json begin = {{"SpecialToken", {{"id", "<|begin_of_text|>"}, {"type_id", 0}}}};
    const auto text = [](const char* name, int segment) {
        return json{{"Sequence", {{"id", name}, {"type_id", segment}}}};
    };
    return json{{"version", "1.0"},
                {"added_tokens", added},
                {"post_processor",
                 {{"type", "TemplateProcessing"},
                  {"single", {begin, text("A", 0)}},
                  {"pair", {begin, text("A", 0), text("B", 1)}},
                  {"special_tokens", json::object()}}},
                {"model", {{"type", "BPE"}, {"vocab", vocabulary}, {"merges", json::array()}}}}
        .dump();
}

} // namespace

class TestTaskTokenizers : public QObject {
    Q_OBJECT

private slots:
    void init() { m_folder = std::make_unique<QTemporaryDir>(); }

    void makesTheRowsOfHuggingFace_data() { addTokenizers(); }
    void makesTheRowsOfHuggingFace()
    {
        QFETCH(QString, tokenizer);
        const json rows = rowsOf(tokenizer);
        RowMaker maker(tokenizer, TaskKind::Classify, rows);
        QVERIFY(!rows.at("texts").empty());
        for (const json& expected : rows.at("texts")) {
            TaskExample example;
            example.text = expected.at("text");
            example.pair = expected.at("pair");
            example.label = "no";
            const TaskRow row = maker.rows(example).front();
            QCOMPARE(row.tokens, expected.at("ids").get<Ids>());
            QCOMPARE(segmentsOf(row), expected.at("types").get<Ids>());
        }
    }

    void tagsTheWordsOfHuggingFace_data() { addTokenizers(); }
    void tagsTheWordsOfHuggingFace()
    {
        QFETCH(QString, tokenizer);
        const json rows = rowsOf(tokenizer);
        RowMaker maker(tokenizer, TaskKind::Tag, rows);
        QVERIFY(!rows.at("words").empty());
        for (const json& expected : rows.at("words")) {
            TaskExample example;
            example.words = expected.at("words").get<std::vector<std::string>>();
            for (std::size_t i = 0; i < example.words.size(); ++i)
                example.tags.emplace_back(i % 2 == 0 ? "yes" : "no");
            TaskRow row = maker.rows(example).front();
            QCOMPARE(row.tokens, expected.at("ids").get<Ids>());
            QCOMPARE(segmentsOf(row), expected.at("types").get<Ids>());
            row.tokenLabels.resize(row.tokens.size(), RowBlock::kNoLabel);
            for (std::size_t i = 0; i < row.tokens.size(); ++i) {
                const int word = expected.at("first").at(i);
                QCOMPARE(row.tokenLabels[i], word < 0 ? RowBlock::kNoLabel : word % 2);
            }
        }
    }

    void findsTheAnswersOfHuggingFace_data() { addTokenizers(); }
    void findsTheAnswersOfHuggingFace()
    {
        QFETCH(QString, tokenizer);
        const json rows = rowsOf(tokenizer);
        RowMaker maker(tokenizer, TaskKind::Answer, rows);
        std::vector<TaskRow> made;
        for (const json& question : rows.at("questions")) {
            TaskExample example;
            example.text = question.at("question");
            example.pair = question.at("context");
            if (question.at("answer").is_string()) {
                const std::string answer = question.at("answer");
                example.answers = {{answer, example.pair.find(answer)}};
            }
            for (TaskRow& row : maker.rows(example))
                made.push_back(std::move(row));
        }
        QCOMPARE(made.size(), rows.at("answers").size());
        for (std::size_t i = 0; i < made.size(); ++i) {
            const json& expected = rows.at("answers").at(i);
            QCOMPARE(made[i].tokens, expected.at("ids").get<Ids>());
            QCOMPARE(segmentsOf(made[i]), expected.at("types").get<Ids>());
            QCOMPARE(made[i].tokenBegins, expected.at("begins").get<Ids>());
            QCOMPARE(made[i].tokenEnds, expected.at("ends").get<Ids>());
            QCOMPARE(made[i].start, expected.at("start").get<std::int32_t>());
            QCOMPARE(made[i].end, expected.at("end").get<std::int32_t>());
        }
    }

    void verifiesWhatItPrepared_data()
    {
        QTest::addColumn<QString>("tokenizer");
        QTest::addColumn<int>("kind");
        QTest::addColumn<QString>("name");
        QTest::addColumn<QString>("text");
        const QString questions =
            R"({"data": [{"paragraphs": [{"context": "Köln is on the Rhine.", "qas": [{"id": "q",
               "question": "Where?", "answers": [{"text": "the Rhine", "answer_start": 11}]}]}]}]})";
        for (const char* tokenizer : {"roberta", "modernbert", "word-pieces"}) {
            const auto row = [&](const char* task, TaskKind kind, const char* name, const QString& text) {
                QTest::addRow("%s, %s", tokenizer, task) << QString(tokenizer) << int(kind) << name << text;
            };
            row("classify", TaskKind::Classify, "a.csv", "text,label\nthe train,a\nthe  Rhine,b\n");
            row("pairs", TaskKind::Classify, "a.csv", "premise,hypothesis,label\na train,the,0\nthe,a,1\n");
            row("regress", TaskKind::Regress, "a.csv", "text,label\nthe train,1.5\nthe,2\n");
            row("tag", TaskKind::Tag, "a.conll", "the O\ntrain B-X\n\nthe O\n");
            row("answer", TaskKind::Answer, "a.json", questions);
            row("complete", TaskKind::Complete, "a.csv", "prompt,completion\nthe train, leaves\n");
        }
    }
    void verifiesWhatItPrepared()
    {
        QFETCH(QString, tokenizer);
        QFETCH(int, kind);
        QFETCH(QString, name);
        QFETCH(QString, text);
        PrepareOptions o = options(golden(tokenizer) / "tokenizer.json", TaskKind(kind));
        o.dumps = {write(name.toUtf8(), text.toStdString())};
        Progress progress;
        const CancelFlag cancel;
        const auto sets = prepareDataset(o, progress, cancel);
        QVERIFY2(sets.ok(), qPrintable(problemOf(sets)));
        const Manifest& manifest = sets->front().manifest;
        QCOMPARE(manifest.vocabularyFile, std::string("tokenizer.json"));
        QCOMPARE(sha256OfFile(o.out / "tokenizer.json").value(), manifest.vocabularySha256);
        QVERIFY(manifest.tokenizer.special.contains("cls"));
        const auto report =
            verifyDataset({.folder = o.out, .vocabulary = {}, .samples = 1}, progress, cancel);
        QVERIFY2(report.ok(), report.ok() ? "" : report.error().text().c_str());
        for (const Violation& violation : report->violations)
            QFAIL(violation.text().c_str());
        const std::string sample = toText(report->samples.front());
        QVERIFY2(sample.find("the") != std::string::npos && sample.find("\u0120") == std::string::npos,
                 sample.c_str()); // words, not the letters of their bytes
    }

    void keepsTheFilesBeside()
    {
        fs::create_directory(path() / "model");
        write("model/tokenizer.json", readFile(golden("modernbert") / "tokenizer.json").value());
        write("model/special_tokens_map.json", R"({"cls_token": "[CLS]", "sep_token": "[SEP]"})");
        PrepareOptions o = options(path() / "model" / "tokenizer.json", TaskKind::Classify);
        o.dumps = {write("a.csv", "text,label\nthe train,a\nthe,b\n")};
        Progress progress;
        const auto sets = prepareDataset(o, progress, CancelFlag());
        QVERIFY2(sets.ok(), qPrintable(problemOf(sets)));
        QCOMPARE(readFile(o.out / "special_tokens_map.json").value(),
                 readFile(path() / "model" / "special_tokens_map.json").value());
        QCOMPARE(sets->front().manifest.tokenizer.files.size(), std::size_t(1));
    }

    void completesBehindTheBeginningOfADecodersText()
    {
        PrepareOptions o = options(write("d.json", decodersTokenizer()), TaskKind::Complete);
        o.dumps = {write("a.csv", "prompt,completion\nab,cd\n")};
        Progress progress;
        const auto sets = prepareDataset(o, progress, CancelFlag());
        QVERIFY2(sets.ok(), qPrintable(problemOf(sets)));
        auto reader =
            ShardReader::openTask(o.out / sets->front().manifest.shards.front().file, 16, TaskKind::Complete);
        RowBlock rows;
        QVERIFY(reader->read(0, 1, rows).ok());
        QCOMPARE(Ids(rows.inputIds.begin(), rows.inputIds.begin() + 7), (Ids{26, 0, 1, 2, 3, 27, 0}));
        QCOMPARE(Ids(rows.labels.begin(), rows.labels.begin() + 7), (Ids{-100, -100, -100, 2, 3, 27, -100}));
        const auto report = verifyDataset({.folder = o.out, .vocabulary = {}}, progress, CancelFlag());
        QVERIFY2(report->ok(), report->ok() ? "" : report->violations.front().text().c_str());
    }

    void refusesADecodersTokenizerForRowsWithEnds()
    {
        PrepareOptions o = options(write("d.json", decodersTokenizer()), TaskKind::Classify);
        o.dumps = {write("a.csv", "text,label\nab,a\ncd,b\n")};
        Progress progress;
        const auto refused = prepareDataset(o, progress, CancelFlag());
        QVERIFY2(
            problemOf(refused).contains("does not say which tokens begin and end a row, as --task classify"),
            qPrintable(problemOf(refused)));
        QVERIFY(!fs::exists(o.out));
    }

private:
    static void addTokenizers()
    {
        QTest::addColumn<QString>("tokenizer");
        for (const char* tokenizer : {"roberta", "modernbert", "word-pieces", "bert"})
            QTest::addRow("%s", tokenizer) << QString(tokenizer);
    }

    fs::path path() const { return m_folder->path().toStdString(); }
    fs::path write(const char* name, const std::string& text) const
    {
        if (!writeFileAtomically(path() / name, text).ok())
            qFatal("cannot write %s", name);
        return path() / name;
    }

    PrepareOptions options(const fs::path& tokenizer, TaskKind kind) const
    {
        PrepareOptions options;
        options.out = path() / "set";
        options.tokenizer = tokenizer;
        options.task.kind = kind;
        options.testFraction = 0;
        options.trainingShards = 2;
        options.shapes = {{16, 1}};
        return options;
    }

    std::unique_ptr<QTemporaryDir> m_folder;
};

QTEST_GUILESS_MAIN(TestTaskTokenizers)
#include "tst_task_tokenizers.moc"
