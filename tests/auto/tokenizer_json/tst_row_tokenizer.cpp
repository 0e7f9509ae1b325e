#include <QTemporaryDir>
#include <QTest>

#include <nlohmann/json.hpp>

#include "datasets/tokenizer_json/row_tokenizer.h"
#include "engine/base/file.h"

using namespace trainyard;
using nlohmann::json;

namespace fs = std::filesystem;

namespace {

using IdsByRole = std::map<std::string, std::int32_t>;

/// BPE of these tokens, the special ones added.
json tokenizerWith(const std::vector<std::string>& special, const std::vector<std::string>& others = {"a"})
{
    json vocabulary, added = json::array();
    for (const std::string& token : others)
        vocabulary[token] = vocabulary.size();
    for (const std::string& token : special)
        added.push_back({{"id", vocabulary.size() + added.size()},
                         {"content", token},
                         {"single_word", false},
                         {"lstrip", false},
                         {"rstrip", false},
                         {"normalized", false},
                         {"special", true}});
    return {{"version", "1.0"},
            {"added_tokens", added},
            {"model", {{"type", "BPE"}, {"vocab", vocabulary}, {"merges", json::array()}}}};
}

json templateOf(const std::vector<std::string>& before, const std::vector<std::string>& behind)
{
    json single = json::array();
    for (const std::string& token : before)
        single.push_back({{"SpecialToken", {{"id", token}, {"type_id", 0}}}});
    single.push_back({{"Sequence", {{"id", "A"}, {"type_id", 0}}}});
    for (const std::string& token : behind)
        single.push_back({{"SpecialToken", {{"id", token}, {"type_id", 0}}}});
    return {{"type", "TemplateProcessing"}, {"single", single}};
}

} // namespace

class TestRowTokenizer : public QObject {
    Q_OBJECT

private slots:
    void init() { m_folder = std::make_unique<QTemporaryDir>(); }

    void findsSpecialTokens_data()
    {
        QTest::addColumn<QByteArray>("tokenizer");
        QTest::addColumn<QByteArray>("configuration");
        QTest::addColumn<IdsByRole>("roles");
        const auto row = [](const char* name, json tokenizer, const char* configuration,
                            const IdsByRole& roles) {
            QTest::addRow("%s", name)
                << QByteArray::fromStdString(tokenizer.dump()) << QByteArray(configuration) << roles;
        };
        row("GPT-2", tokenizerWith({"<|endoftext|>"}), R"({"pad_token": "<|endoftext|>"})", {{"end", 1}});
        row("RoBERTa", tokenizerWith({"<s>", "<pad>", "</s>", "<mask>"}), "",
            {{"cls", 1}, {"pad", 2}, {"sep", 3}, {"end", 3}, {"mask", 4}});
        row("ModernBERT", tokenizerWith({"<|endoftext|>", "[UNK]", "[CLS]", "[SEP]", "[PAD]", "[MASK]"}), "",
            {{"end", 1}, {"cls", 3}, {"sep", 4}, {"pad", 5}, {"mask", 6}});
        json llama = tokenizerWith({"<|begin_of_text|>", "<|end_of_text|>", "<|eot_id|>"});
        llama["post_processor"] = {
            {"type", "Sequence"},
            {"processors",
             {{{"type", "ByteLevel"}, {"trim_offsets", true}}, templateOf({"<|begin_of_text|>"}, {})}}};
        row("Llama 3 for chats", llama, R"({"eos_token": "<|eot_id|>"})", {{"cls", 1}, {"end", 2}});
        json framed = tokenizerWith({"<x>", "<y>", "</s>"});
        framed["post_processor"] = templateOf({"<x>"}, {"<y>"});
        row("a frame of its own", framed, "", {{"cls", 1}, {"sep", 2}, {"end", 3}});
        row("the configuration before the frame", framed, R"({"cls_token": {"content": "<y>"}})",
            {{"cls", 2}, {"sep", 2}, {"end", 3}});
        row("an end of its own", tokenizerWith({"<stop>"}), R"({"eos_token": "<stop>"})", {{"end", 1}});
        row("a name of no token", tokenizerWith({"<s>"}), R"({"cls_token": "<start>", "mask_token": null})",
            {{"cls", 1}});
        row("none", tokenizerWith({}), "", {});
    }
    void findsSpecialTokens()
    {
        QFETCH(QByteArray, tokenizer);
        QFETCH(QByteArray, configuration);
        write("tokenizer.json", tokenizer.toStdString());
        if (!configuration.isEmpty())
            write("tokenizer_config.json", configuration.toStdString());
        const auto read = loadRowTokenizer(file("tokenizer.json"));
        QVERIFY2(read.ok(), read.ok() ? "" : read.error().text().c_str());
        QTEST(idsByRole(read->vocabulary.special()), "roles");
    }

    void joinsPiecesWithMetaspaces()
    {
        write("tokenizer.json", tokenizerWith({}, {"\u2581the", "\u2581ca", "f", "<0xC3>", "<0xA9>"}).dump());
        const Vocabulary vocabulary = loadRowTokenizer(file("tokenizer.json"))->vocabulary;
        QCOMPARE(vocabulary.decode({0, 1, 2, 3, 4}), std::string("the café"));
        std::vector<bool> starts;
        vocabulary.findWords(std::vector<std::int32_t>{2, 0, 1, 2, 3}, starts);
        QCOMPARE(starts, (std::vector<bool>{true, true, true, false, false}));
        QCOMPARE(vocabulary.shown(0), std::string("the"));
        QCOMPARE(vocabulary.shown(2), std::string("##f"));
    }

    void looksAtNoFilesBesideOtherNames()
    {
        write("mine.json", tokenizerWith({"<s>", "<t>"}).dump());
        write("special_tokens_map.json", R"({"cls_token": "<t>"})");
        const auto read = loadRowTokenizer(file("mine.json"));
        QCOMPARE(read->vocabulary.special().classify, 1);
        QVERIFY(read->smallFiles.empty());
    }

    void refusesIdsThatAreDamaged()
    {
        json tokenizer = tokenizerWith({});
        tokenizer["model"]["vocab"]["b"] = 2'000'000'000;
        write("tokenizer.json", tokenizer.dump());
        const auto refused = loadRowTokenizer(file("tokenizer.json"));
        QVERIFY(!refused.ok());
        QVERIFY(refused.error().kind == ErrorKind::BadInput);
        QVERIFY(refused.error().message.find("\"b\" has the id 2000000000") != std::string::npos);
    }

private:
    fs::path file(const std::string& name) const { return fs::path(m_folder->path().toStdString()) / name; }
    void write(const std::string& name, const std::string& content) const
    {
        QVERIFY(writeFileAtomically(file(name), content).ok());
    }

    std::unique_ptr<QTemporaryDir> m_folder;
};

QTEST_GUILESS_MAIN(TestRowTokenizer)
#include "tst_row_tokenizer.moc"
