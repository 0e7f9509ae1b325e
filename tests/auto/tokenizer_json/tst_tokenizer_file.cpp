#include <QTest>

#include <map>
#include <sstream>

#include <nlohmann/json.hpp>
#include <zlib.h>

#include "datasets/tokenizer_json/tokenizer_file.h"
#include "engine/base/file.h"
#include "tests/support/reference_data.h"

using namespace trainyard;
using nlohmann::json;

namespace {

using Ids = std::vector<std::int32_t>;

json goldenJson(const std::string& name)
{
    return json::parse(readFile(TRAINYARD_SOURCE_DIR "/tests/golden/tokenizer_json/" + name).value());
}

std::unique_ptr<Tokenizer> tokenizerOf(const json& document)
{
    auto tokenizer = parseTokenizer(document.dump());
    if (!tokenizer.ok())
        qFatal("%s", tokenizer.error().text().c_str());
    return std::move(tokenizer).value();
}

Ids idsOf(TextEncoder& encoder, std::string_view text)
{
    Ids ids;
    encoder.encode(text, ids);
    return ids;
}

Ids idsOf(const json& document, std::string_view text)
{
    return idsOf(*tokenizerOf(document)->encoder(), text);
}

/// "1 2 3".
Ids listed(const std::string& line)
{
    std::istringstream in(line);
    Ids ids;
    for (std::int32_t id = 0; in >> id;)
        ids.push_back(id);
    return ids;
}

/// The same from encodeAligned(); empty if a place is not in the text.
Ids idsWithPlaces(const Tokenizer& tokenizer, const std::string& text)
{
    std::vector<AlignedPiece> pieces;
    tokenizer.encodeAligned(text, pieces);
    Ids ids;
    for (const AlignedPiece& piece : pieces) {
        if (piece.begin > piece.end || piece.end > text.size())
            return {};
        ids.push_back(piece.id);
    }
    return ids;
}

/// A case of make_golden.py.
json changed(json document, json changes)
{
    if (const auto ofModel = changes.find("+model"); ofModel != changes.end()) {
        document["model"].update(*ofModel);
        changes.erase(ofModel);
    }
    document.update(changes);
    return document;
}

/// Byte pair encoding of a few characters: "a" 0, "b" 1, "ab" 2, " " 3, "<x>" 4.
json fewTokens()
{
    return json::parse(R"({"version": "1.0", "truncation": null, "padding": null, "added_tokens": [],
        "normalizer": null, "pre_tokenizer": null, "post_processor": null, "decoder": null,
        "model": {"type": "BPE", "dropout": null, "unk_token": null, "continuing_subword_prefix": null,
                  "end_of_word_suffix": null, "fuse_unk": false, "byte_fallback": false, "ignore_merges": false,
                  "vocab": {"a": 0, "b": 1, "ab": 2, " ": 3, "<x>": 4}, "merges": [["a", "b"]]}})");
}

json addedToken(int id, const char* content)
{
    return {{"id", id},        {"content", content},  {"single_word", false}, {"lstrip", false},
            {"rstrip", false}, {"normalized", false}, {"special", true}};
}

json wordPiece()
{
    json document = fewTokens();
    document["normalizer"] = json::parse(R"({"type": "BertNormalizer", "clean_text": true,
        "handle_chinese_chars": true, "strip_accents": null, "lowercase": true})");
    document["pre_tokenizer"] = {{"type", "BertPreTokenizer"}};
    document["model"] = json::parse(R"({"type": "WordPiece", "unk_token": "[UNK]",
        "continuing_subword_prefix": "##", "max_input_chars_per_word": 100,
        "vocab": {"[PAD]": 0, "[UNK]": 1, "[CLS]": 2, "[SEP]": 3, "[MASK]": 4, "un": 5, "##able": 6}})");
    document["added_tokens"].push_back(addedToken(4, "[MASK]"));
    return document;
}

std::string unzipped(const std::filesystem::path& file)
{
    std::string text;
    gzFile in = gzopen(file.c_str(), "rb");
    char buffer[1 << 16];
    for (int bytes = 0; (bytes = gzread(in, buffer, sizeof buffer)) > 0;)
        text.append(buffer, static_cast<std::size_t>(bytes));
    gzclose(in);
    return text;
}

} // namespace

class TestTokenizerFile : public QObject {
    Q_OBJECT

private slots:
    void agreesWithHuggingFace_data();
    void agreesWithHuggingFace();
    void agreesOnTheReferenceLines_data();
    void agreesOnTheReferenceLines();
    void yieldsTheSameIdsAgain();
    void findsAddedTokensBeforeAnythingElse();
    void readsOlderFiles();
    void readsWordPiece();
    void refusesWhatItDoesNotSupport_data();
    void refusesWhatItDoesNotSupport();
    void refusesWhatIsNoTokenizer();
};

void TestTokenizerFile::agreesWithHuggingFace_data()
{
    QTest::addColumn<int>("number");
    int number = 0;
    for (const json& item : goldenJson("cases.json"))
        QTest::newRow(item.at("name").get<std::string>().c_str()) << number++;
}

void TestTokenizerFile::agreesWithHuggingFace()
{
    static const json models = goldenJson("models.json"), texts = goldenJson("texts.json"),
                      cases = goldenJson("cases.json");
    QFETCH(int, number);
    const json& item = cases.at(static_cast<std::size_t>(number));
    const auto tokenizer =
        tokenizerOf(changed(models.at(item.at("model").get<std::string>()), item.at("changes")));
    const auto encoder = tokenizer->encoder();
    for (std::size_t i = 0; i < texts.size(); ++i) {
        const auto text = texts[i].get<std::string>();
        const Ids ids = listed(item.at("ids")[i].get<std::string>());
        QVERIFY2(idsOf(*encoder, text) == ids, text.c_str());
        QVERIFY2(idsWithPlaces(*tokenizer, text) == ids, text.c_str());
    }
}

void TestTokenizerFile::agreesOnTheReferenceLines_data()
{
    QTest::addColumn<std::string>("name");
    for (const char* const name : {"gpt2", "llama3", "qwen"})
        QTest::newRow(name) << std::string(name);
}

void TestTokenizerFile::agreesOnTheReferenceLines()
{
    QFETCH(std::string, name);
    NEEDS_REFERENCE(referenceData("bpe"));
    const auto tokenizer = loadTokenizer(referenceData("bpe/" + name + "_tokenizer.json"));
    QVERIFY2(tokenizer.ok(), tokenizer.ok() ? "" : tokenizer.error().text().c_str());
    const auto encoder = (*tokenizer)->encoder();
    std::istringstream lines(unzipped(referenceData("bpe/bpe_lines.jsonl.gz")));
    int count = 0;
    for (std::string line; std::getline(lines, line); ++count) {
        const json item = json::parse(line);
        QVERIFY2(idsOf(*encoder, item.at("text").get<std::string>()) == item.at("ids_" + name).get<Ids>(),
                 line.c_str());
    }
    QVERIFY(count >= 500);
}

/// Pieces that are remembered, evicted and too long to be: 40,000 different words fill the cache.
void TestTokenizerFile::yieldsTheSameIdsAgain()
{
    json document = goldenJson("models.json").at("bytes");
    const auto tokenizer = tokenizerOf(document);
    const auto encoder = tokenizer->encoder();
    std::string text;
    std::map<std::string, Ids> first;
    for (int i = 0; i < 40'000; ++i) {
        const std::string word = " w" + std::to_string(i * 7919) + (i % 50 == 0 ? std::string(20, 'x') : "");
        first.emplace(word, idsOf(*encoder, word));
        text += word;
    }
    Ids all;
    for (int i = 0; i < 40'000; ++i) {
        const std::string word = " w" + std::to_string(i * 7919) + (i % 50 == 0 ? std::string(20, 'x') : "");
        all.insert(all.end(), first.at(word).begin(), first.at(word).end());
    }
    QCOMPARE(idsOf(*encoder, text), all);
    QCOMPARE(idsOf(*tokenizer->encoder(), text), all);
    QCOMPARE(idsOf(*encoder, "a\xFF b"), idsOf(*encoder, "a\uFFFD b")); // repaired
}

void TestTokenizerFile::findsAddedTokensBeforeAnythingElse()
{
    json document = fewTokens();
    document["added_tokens"] = {addedToken(4, "<x>"), addedToken(5, "<x>b"), addedToken(6, "bb")};
    QCOMPARE(idsOf(document, "ab<x>ab"), (Ids{2, 4, 2}));
    QCOMPARE(idsOf(document, "a<x>b"), (Ids{0, 5}));   // the longest
    QCOMPARE(idsOf(document, "abbb"), (Ids{0, 6, 1})); // from the left
    document["added_tokens"][0]["lstrip"] = true;
    document["added_tokens"][0]["rstrip"] = true;
    QCOMPARE(idsOf(document, " a <x> <x> a"), (Ids{3, 0, 4, 4, 0}));
    document["added_tokens"][2]["single_word"] = true;
    QCOMPARE(idsOf(document, "bb abb bb"), (Ids{6, 3, 2, 1, 3, 6}));
}

/// As GPT-2's own: without the type of the model, and with an unknown token that is none.
void TestTokenizerFile::readsOlderFiles()
{
    json bytes = goldenJson("models.json").at("bytes");
    const Ids ids = idsOf(bytes, "the THE");
    bytes["model"].erase("type");
    bytes["model"]["unk_token"] = "";
    bytes["model"]["continuing_subword_prefix"] = "";
    bytes["pre_tokenizer"].erase("use_regex");
    QCOMPARE(idsOf(bytes, "the THE"), ids);
    json words = wordPiece();
    words["model"].erase("type");
    QCOMPARE(idsOf(words, "unable"), (Ids{5, 6}));
    json document = fewTokens();
    document["model"]["merges"] = {"#version: 0.2", "a b"};
    QCOMPARE(idsOf(document, "aab"), (Ids{0, 2}));
}

void TestTokenizerFile::readsWordPiece()
{
    QCOMPARE(idsOf(wordPiece(), "UNable [MASK] x"), (Ids{5, 6, 4, 1}));
    json cased = wordPiece();
    cased["normalizer"]["lowercase"] = false;
    QCOMPARE(idsOf(cased, "UNable unable"), (Ids{1, 5, 6}));
}

/// Rows: the place of a member, its value, and what the message says besides its place.
void TestTokenizerFile::refusesWhatItDoesNotSupport_data()
{
    QTest::addColumn<bool>("ofWords");
    QTest::addColumn<std::string>("pointer");
    QTest::addColumn<std::string>("value");
    QTest::addColumn<std::string>("message");
    const auto row = [](const char* pointer, const char* value, const char* message, bool ofWords = false) {
        QTest::addRow("%s %s", pointer, value)
            << ofWords << std::string(pointer) << std::string(value) << std::string(message);
    };
    row("/version", R"("2.0")", "version is \"2.0\"");
    row("/truncation", R"({"max_length": 5})", "truncation is");
    row("/padding", "{}", "padding is");
    row("/more", "1", "more is 1, which is not supported");
    row("/model/type", R"("Unigram")", "model.type is \"Unigram\"");
    row("/model/type", "1", "model.type is 1");
    row("/model/dropout", "0.1", "model.dropout is 0.1");
    row("/model/cache", "1", "model.cache is 1");
    row("/model/fuse_unk", "1", "model.fuse_unk is 1, not a true or false");
    row("/model/unk_token", R"("?")", "model.unk_token \"?\" is not in model.vocab");
    row("/model/vocab", "[]", "model.vocab is []");
    row("/model/vocab/a", "-1", "model.vocab[\"a\"] is -1");
    row("/model/vocab/a", "3000000000", "model.vocab[\"a\"] is 3000000000");
    row("/model/merges", "null", "model.merges is missing");
    row("/model/merges/0", R"("a b c")", "model.merges[0] is \"a b c\"");
    row("/model/merges/0", R"(["b", "a"])", "model.merges[0] needs \"ba\"");
    row("/normalizer", R"({"type": "Precompiled"})", "normalizer.type is \"Precompiled\"");
    row("/normalizer", R"({"type": "NFC", "more": 1})", "normalizer.more is 1");
    row("/normalizer", R"({"type": "Sequence", "normalizers": [{"type": "NFC"}, {"type": "X"}]})",
        "normalizer.normalizers[1].type is \"X\"");
    row("/normalizer", R"({"type": "Replace", "pattern": {"Regex": "(?<=a)b"}, "content": ""})",
        "normalizer.pattern: the regular expression");
    row("/normalizer", R"({"type": "Replace", "pattern": {}, "content": ""})", "normalizer.pattern is {}");
    row("/normalizer", R"({"type": "Prepend"})", "normalizer.prepend is missing");
    row("/pre_tokenizer", R"({"type": "UnicodeScripts"})", "pre_tokenizer.type is \"UnicodeScripts\"");
    row("/pre_tokenizer", R"({"type": "ByteLevel"})", "pre_tokenizer.add_prefix_space is missing");
    row("/pre_tokenizer",
        R"({"type": "Split", "pattern": {"String": " "}, "behavior": "Kept", "invert": false})",
        "pre_tokenizer.behavior is \"Kept\"");
    row("/pre_tokenizer",
        R"({"type": "Split", "pattern": {"String": ""}, "behavior": "Removed", "invert": false})",
        "pre_tokenizer.pattern: a regular expression matches the empty text");
    row("/pre_tokenizer", R"({"type": "Metaspace", "replacement": "ab"})",
        "pre_tokenizer.replacement is \"ab\"");
    row("/pre_tokenizer", R"({"type": "Metaspace", "replacement": "_", "add_prefix_space": false})",
        "pre_tokenizer.add_prefix_space is false");
    row("/pre_tokenizer", R"({"type": "Metaspace", "replacement": "_", "prepend_scheme": "last"})",
        "pre_tokenizer.prepend_scheme is \"last\"");
    row("/added_tokens", "{}", "added_tokens is {}");
    row("/added_tokens", R"([{"id": 0}])", "added_tokens[0].content is missing");
    row("/normalizer/strip_accents", "1", "normalizer.strip_accents is 1", true);
    row("/normalizer/clean_text", "null", "normalizer.clean_text is missing", true);
    row("/pre_tokenizer", R"({"type": "ByteLevel", "add_prefix_space": false})", "pre_tokenizer is {", true);
    row("/model/max_input_chars_per_word", "-1", "model.max_input_chars_per_word is -1", true);
    row("/model/unk_token", R"("?")", "model.unk_token is \"?\"", true);
    row("/model/more", "1", "model.more is 1", true);
}

void TestTokenizerFile::refusesWhatItDoesNotSupport()
{
    QFETCH(bool, ofWords);
    QFETCH(std::string, pointer);
    QFETCH(std::string, value);
    QFETCH(std::string, message);
    json document = ofWords ? wordPiece() : fewTokens();
    document[json::json_pointer(pointer)] = json::parse(value);
    const auto tokenizer = parseTokenizer(document.dump());
    QVERIFY(!tokenizer.ok());
    QVERIFY2(tokenizer.error().message.find(message) != std::string::npos, tokenizer.error().text().c_str());
    QCOMPARE(tokenizer.error().kind, ErrorKind::BadInput);
}

void TestTokenizerFile::refusesWhatIsNoTokenizer()
{
    QVERIFY(!parseTokenizer("").ok());
    QVERIFY(!parseTokenizer("[1]").ok());
    json document = fewTokens();
    document["added_tokens"] = {addedToken(9, "<y>")};
    QVERIFY(parseTokenizer(document.dump()).error().text().find("would give it the id 5") !=
            std::string::npos);
    document["added_tokens"] = {addedToken(4, "<x>"), addedToken(4, "<x>")};
    QVERIFY(parseTokenizer(document.dump()).error().text().find("added_tokens[1].content") !=
            std::string::npos);
    const auto missing = loadTokenizer("/nowhere/tokenizer.json");
    QVERIFY(missing.error().text().find("/nowhere/tokenizer.json") != std::string::npos);
}

QTEST_APPLESS_MAIN(TestTokenizerFile)
#include "tst_tokenizer_file.moc"
