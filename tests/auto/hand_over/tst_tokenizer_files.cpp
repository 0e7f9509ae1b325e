#include <QTemporaryDir>
#include <QTest>

#include <filesystem>

#include <nlohmann/json.hpp>

#include "datasets/tokenizer_json/byte_pair_trainer.h"
#include "datasets/tokenizer_json/row_tokenizer.h"
#include "engine/base/file.h"
#include "engine/hand_over/tokenizer_files.h"

using namespace trainyard;
using nlohmann::json;

namespace {

const std::filesystem::path kGolden =
    std::filesystem::path(TRAINYARD_SOURCE_DIR) / "tests" / "golden" / "hand_over";

Vocabulary vocabulary()
{
    return Vocabulary::load(kGolden / "vocab.txt").value();
}

ModelSpec modelOf(ModelFamily family)
{
    ModelSpec model;
    model.setFamily(family);
    model.maxPositions = 77;
    return model;
}

json fileOf(const char* name, ModelFamily family, bool cased = false)
{
    return json::parse(tokenizerFiles(vocabulary(), cased, modelOf(family)).at(name));
}

} // namespace

class TestTokenizerFiles : public QObject {
    Q_OBJECT

private slots:
    /// A tokenizer.json is handed on as it is, with what AutoTokenizer needs beside it.
    void handsATokenizerJsonOn()
    {
        const QTemporaryDir folder;
        const auto file = std::filesystem::path(folder.path().toStdString()) / "tokenizer.json";
        const std::string trained = trainBytePairs({}, {.size = 257}).value();
        QVERIFY(writeFileAtomically(file, trained).ok());
        const auto files = tokenizerFiles(loadRowTokenizer(file).value(), modelOf(ModelFamily::Gpt));
        QCOMPARE(files.at("tokenizer.json"), trained);
        const json config = json::parse(files.at("tokenizer_config.json"));
        QVERIFY(config.at("tokenizer_class") == "PreTrainedTokenizerFast");
        QVERIFY(config.at("eos_token") == "<|endoftext|>");
        QVERIFY(!config.contains("pad_token"));
        QVERIFY(json::parse(files.at("special_tokens_map.json")).at("eos_token") == "<|endoftext|>");
        const std::string own = R"({"eos_token": "<|endoftext|>", "model_max_length": 9})";
        QVERIFY(writeFileAtomically(file.parent_path() / "tokenizer_config.json", own).ok());
        QCOMPARE(tokenizerFiles(loadRowTokenizer(file).value(), modelOf(ModelFamily::Gpt))
                     .at("tokenizer_config.json"),
                 own);
    }

    void areThoseOfHuggingFace_data()
    {
        QTest::addColumn<QString>("golden");
        QTest::addColumn<bool>("isDecoder");
        QTest::addColumn<bool>("cased");
        QTest::addRow("uncased") << "bert_uncased.json" << false << false;
        QTest::addRow("cased") << "bert_cased.json" << false << true;
        QTest::addRow("decoder") << "decoder.json" << true << false;
    }
    /// tokenizer.json alone decides about the ids.
    void areThoseOfHuggingFace()
    {
        QFETCH(QString, golden);
        QFETCH(bool, isDecoder);
        QFETCH(bool, cased);
        const json expected = json::parse(readFile(kGolden / golden.toStdString()).value());
        const json written =
            fileOf("tokenizer.json", isDecoder ? ModelFamily::Gpt : ModelFamily::Bert, cased);
        QVERIFY2(written == expected, json::diff(expected, written).dump(1).c_str());
    }

    void nameTheKindOfTokenizer()
    {
        const json bert = fileOf("tokenizer_config.json", ModelFamily::Bert);
        QCOMPARE(bert.at("tokenizer_class").get<std::string>(), std::string("BertTokenizer"));
        QVERIFY(bert.at("do_lower_case").get<bool>());
        QVERIFY(!fileOf("tokenizer_config.json", ModelFamily::Bert, true).at("do_lower_case").get<bool>());
        QCOMPARE(bert.at("model_max_length").get<int>(), 77);
        QCOMPARE(bert.at("mask_token").get<std::string>(), std::string("[MASK]"));
        QCOMPARE(bert.at("added_tokens_decoder").at("3").at("content").get<std::string>(),
                 std::string("[SEP]"));
    }

    void giveADecoderNoTokenTypes()
    {
        const json config = fileOf("tokenizer_config.json", ModelFamily::Gpt);
        QVERIFY(config.at("model_input_names") == json::array({"input_ids", "attention_mask"}));
        QCOMPARE(config.at("eos_token").get<std::string>(), std::string("[SEP]"));
        QVERIFY(!config.contains("cls_token"));
        const json map = fileOf("special_tokens_map.json", ModelFamily::Gpt);
        QVERIFY(map == json({{"pad_token", "[PAD]"}, {"unk_token", "[UNK]"}, {"eos_token", "[SEP]"}}));
    }

    void keepTheVocabulary()
    {
        const auto files = tokenizerFiles(vocabulary(), false, modelOf(ModelFamily::Bert));
        QCOMPARE(files.at("vocab.txt"), readFile(kGolden / "vocab.txt").value());
        QCOMPARE(files.size(), std::size_t(4));
    }
};

QTEST_GUILESS_MAIN(TestTokenizerFiles)
#include "tst_tokenizer_files.moc"
