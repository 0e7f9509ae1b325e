#include <QTest>

#include <algorithm>
#include <filesystem>

#include <ATen/Parallel.h>
#include <nlohmann/json.hpp>

#include "engine/base/file.h"
#include "engine/checkpoint/format/safetensors.h"
#include "engine/checkpoint/hugging_face/stored_model.h"
#include "engine/checkpoint/tensor_views.h"
#include "engine/generation/generator.h"
#include "engine/memory/accounting_allocator.h"
#include "engine/nn/language_model.h"
#include "tests/support/reference_data.h"

using namespace trainyard;
namespace fs = std::filesystem;

namespace {

GenerationOptions greedyReference(std::int64_t count)
{
    GenerationOptions options;
    options.sampling.temperature = 0;
    options.newTokens = count;
    return options;
}

nlohmann::json expectedOf(const fs::path& folder)
{
    const auto text = readFile(folder / "expected.json");
    return text.ok() ? nlohmann::json::parse(*text) : nlohmann::json::object();
}

std::string familyOf(const fs::path& folder)
{
    return nlohmann::json::parse(readFile(folder / "config.json").value()).at("model_type");
}

} // namespace

// What Hugging Face's own code continues with.
class TestGenerationReferences : public QObject {
    Q_OBJECT

private slots:
    void initTestCase()
    {
        AccountingAllocator::install();
        at::set_num_threads(1);
        NEEDS_REFERENCE(referenceData("hf_families"));
    }

    void continuesAsHuggingFaceDoes_data()
    {
        QTest::addColumn<QString>("folder");
        for (const auto& entry : fs::directory_iterator(referenceData("hf_families"))) {
            if (expectedOf(entry.path()).contains("greedy"))
                QTest::addRow("%s", entry.path().filename().c_str())
                    << QString::fromStdString(entry.path().string());
        }
    }
    void continuesAsHuggingFaceDoes() // or names the family that it does not have
    {
        QFETCH(QString, folder);
        const fs::path path = folder.toStdString();
        auto stored = StoredModel::open(path);
        if (!stored.ok()) { // only a family that the engine does not have
            const std::string said = stored.error().text();
            QVERIFY2(said.find("model_type is \"" + familyOf(path) + "\"") != std::string::npos,
                     said.c_str());
            return;
        }
        const auto expected = expectedOf(path).at("greedy");
        const auto prompts = expected.at("prompt").get<std::vector<TokenIds>>();
        const auto tokens = expected.at("tokens").get<std::vector<TokenIds>>();
        const auto model = stored->load(ComputeType::Float32).value();
        const auto count = std::ssize(tokens.front()) - std::ssize(prompts.front());
        const auto result = continuePrompts(*model, prompts, greedyReference(count));
        QVERIFY2(result.ok(), result.ok() ? "" : result.error().text().c_str());
        QVERIFY(*result == tokens);
    }

    // The next token of every beginning of the reference inputs, all in one call: prompts of every length.
    void choosesWhatHuggingFacesLogitsSay()
    {
        const fs::path path = referenceData("hf/gpt2-tiny");
        const auto inputs = SafetensorsFile::open(path / "inputs.safetensors").value();
        const auto expected = SafetensorsFile::open(path / "expected_fp64.safetensors").value();
        const at::Tensor ids_BS = tensorFrom(*inputs.find("input_ids"));
        const at::Tensor next_BS = tensorFrom(*expected.find("logits")).argmax(-1);
        const std::int64_t length = std::min<std::int64_t>(ids_BS.size(1), 24);
        std::vector<TokenIds> prompts;
        TokenIds wanted;
        for (std::int64_t row = 0; row < ids_BS.size(0); ++row) {
            TokenIds prompt;
            for (std::int64_t place = 0; place < length; ++place) {
                prompt.push_back(ids_BS[row][place].item<std::int64_t>());
                prompts.push_back(prompt);
                wanted.push_back(next_BS[row][place].item<std::int64_t>());
            }
        }
        const auto model = StoredModel::open(path).value().load(ComputeType::Float64).value();
        const auto result = continuePrompts(*model, prompts, greedyReference(1)).value();
        for (std::size_t i = 0; i < prompts.size(); ++i)
            QVERIFY2(result[i].back() == wanted[i], qPrintable(QString::number(i)));
    }
};

QTEST_APPLESS_MAIN(TestGenerationReferences)
#include "tst_generation_references.moc"
