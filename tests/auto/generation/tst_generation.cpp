#include <QTest>

#include <limits>
#include <utility>

#include <ATen/Parallel.h>
#include <ATen/ops/arange.h>
#include <ATen/ops/cat.h>
#include <ATen/ops/softmax.h>
#include <ATen/ops/tensor.h>
#include <c10/core/GradMode.h>

#include "engine/generation/generator.h"
#include "engine/generation/mask_filling.h"
#include "engine/memory/accounting_allocator.h"
#include "engine/nn/key_value_cache.h"
#include "engine/nn/language_model.h"
#include "engine/spec/names.h"
#include "tests/auto/nn/tiny_model.h"

using namespace trainyard;

namespace {

ModelSpec modelOf(ModelFamily family)
{
    ModelSpec model = tinyModel(family);
    model.maxPositions = 24;
    return model;
}

// Every combination of a decoder's options.
std::vector<ModelSpec> everyDecoder()
{
    std::vector<ModelSpec> models;
    for (int options = 0; options < 32; ++options) {
        ModelSpec model = modelOf(ModelFamily::Gpt);
        model.activation = static_cast<Activation>(options & 3);
        model.norm = options & 4 ? NormPlacement::Pre : NormPlacement::Post;
        model.positions = options & 8 ? PositionEncoding::Rotary : PositionEncoding::Learned;
        model.tiedHead = !(options & 16);
        models.push_back(model);
    }
    return models;
}

QString describe(const ModelSpec& model)
{
    const auto text = [](std::string_view name) {
        return QString::fromUtf8(name.data(), qsizetype(name.size()));
    };
    return QString("%1 %2-norm %3 %4")
        .arg(text(nameOf(model.activation)), text(nameOf(model.norm)), text(nameOf(model.positions)),
             model.tiedHead ? "tied" : "untied");
}

/// With weights that give other words at other places.
class ModelWithWeights {
public:
    explicit ModelWithWeights(const ModelSpec& spec) : m_model(spec, ComputeType::Float64)
    {
        m_model.parameters().initialize(11, 0.6);
    }
    LanguageModel& get() { return m_model; }
    operator const LanguageModel&() const { return m_model; }

private:
    LanguageModel m_model;
};

at::Tensor idTensor(const TokenIds& tokens)
{
    return at::tensor(tokens, at::kLong);
}

/// Of one sequence at every position, computed as in training.
at::Tensor wholeLogits(const LanguageModel& model, const TokenIds& tokens)
{
    const c10::AutoGradMode noGraph(false);
    TokenBatch batch;
    batch.inputIds = idTensor(tokens).unsqueeze(0);
    batch.targetPositions = at::arange(std::ssize(tokens), at::kLong);
    batch.sampleIndices = {0};
    return model.logits(batch, std::nullopt).tokens;
}

/// The same in pieces of these lengths, each behind the cached ones before.
at::Tensor cachedLogits(const LanguageModel& model, const TokenIds& tokens, const std::vector<int>& pieces)
{
    const c10::AutoGradMode noGraph(false);
    KeyValueCache cache(model.spec().layers, {std::ssize(tokens)});
    std::vector<at::Tensor> logits;
    std::int64_t begin = 0;
    for (const int length : pieces) {
        TokenBatch batch;
        batch.inputIds = idTensor(tokens).narrow(0, begin, length);
        batch.positionIds = at::arange(begin, begin + length, at::kLong);
        batch.targetPositions = at::arange(length, at::kLong);
        batch.packedLengths = {length};
        batch.packedFrom = length;
        batch.sampleIndices = {0};
        logits.push_back(model.logits(batch, cache).tokens);
        begin += length;
    }
    return at::cat(logits);
}

/// The most probable token again and again, every time from the whole sequence.
TokenIds continuedWithoutCache(const LanguageModel& model, TokenIds tokens, int count)
{
    for (int i = 0; i < count; ++i)
        tokens.push_back(wholeLogits(model, tokens).select(0, -1).argmax().item<std::int64_t>());
    return tokens;
}

GenerationOptions greedy(std::int64_t count)
{
    GenerationOptions options;
    options.sampling.temperature = 0;
    options.newTokens = count;
    return options;
}

QString problemOf(const ModelSpec& model, const std::vector<TokenIds>& prompts, std::int64_t count = 1)
{
    const auto result = continuePrompts(ModelWithWeights(model), prompts, greedy(count));
    return result.ok() ? QString() : QString::fromStdString(result.error().text());
}

} // namespace

class TestGeneration : public QObject {
    Q_OBJECT

private slots:
    void initTestCase()
    {
        AccountingAllocator::install();
        at::set_num_threads(1);
    }

    void cachedPassesComputeTheSame_data()
    {
        QTest::addColumn<ModelSpec>("spec");
        for (const ModelSpec& model : everyDecoder())
            QTest::addRow("%s", qPrintable(describe(model))) << model;
    }
    void cachedPassesComputeTheSame()
    {
        QFETCH(ModelSpec, spec);
        const ModelWithWeights model(spec);
        const TokenIds tokens{3, 1, 12, 7, 7, 0, 5, 9, 11, 2};
        const at::Tensor whole = wholeLogits(model, tokens);
        for (const std::vector<int>& pieces :
             {std::vector{10}, std::vector{4, 1, 1, 3, 1}, std::vector<int>(10, 1)}) {
            const double error = (cachedLogits(model, tokens, pieces) - whole).abs().max().item<double>();
            QVERIFY2(error < 1e-12, qPrintable(QString::number(error))); // the products' rounding
        }
    }

    void continuesAsWithoutCache_data() { cachedPassesComputeTheSame_data(); }
    void continuesAsWithoutCache()
    {
        QFETCH(ModelSpec, spec);
        const ModelWithWeights model(spec);
        const TokenIds prompt{3, 1, 12, 7};
        const auto result = continuePrompts(model, {prompt}, greedy(10)).value();
        QVERIFY(result.front() == continuedWithoutCache(model, prompt, 10));
    }

    // More of them than are computed at once.
    void promptsOfAnyLengthsContinueAsAlone()
    {
        const ModelWithWeights model(modelOf(ModelFamily::Gpt));
        std::vector<TokenIds> prompts;
        for (int i = 0; i < 20; ++i) {
            TokenIds prompt(std::size_t(1 + i * 7 % 11));
            for (std::size_t k = 0; k < prompt.size(); ++k)
                prompt[k] = (i * 5 + std::int64_t(k) * 3) % 13;
            prompts.push_back(prompt);
        }
        const auto together = continuePrompts(model, prompts, greedy(8)).value();
        QCOMPARE(together.size(), prompts.size());
        for (std::size_t i = 0; i < prompts.size(); ++i) {
            const auto alone = continuePrompts(model, {prompts[i]}, greedy(8)).value();
            QVERIFY2(together[i] == alone.front(), qPrintable(QString::number(i)));
        }
    }

    void whatIsDrawnDependsOnNoOtherPrompt()
    {
        const ModelWithWeights model(modelOf(ModelFamily::Gpt));
        GenerationOptions options;
        options.sampling.seed = 5;
        options.newTokens = 12;
        const auto alone = continuePrompts(model, {{1, 2, 3}}, options).value();
        const auto together = continuePrompts(model, {{1, 2, 3}, {4}, {1, 2, 3}}, options).value();
        QVERIFY(together[0] == alone[0]);
        QVERIFY(together[2] != alone[0]); // another prompt, other numbers
        options.sampling.seed = 6;
        QVERIFY(continuePrompts(model, {{1, 2, 3}}, options).value() != alone);
    }

    void endsAtAnEndTokenWhereAsked()
    {
        const ModelWithWeights model(modelOf(ModelFamily::Gpt));
        const TokenIds prompt{3, 1, 12, 7};
        const TokenIds all = continuePrompts(model, {prompt}, greedy(10)).value().front();
        GenerationOptions options = greedy(10);
        options.endTokens = {prompt[0], all[6]}; // one in the prompt does not count
        const TokenIds ended = continuePrompts(model, {prompt}, options).value().front();
        const auto first = std::find_if(all.begin() + 4, all.end(),
                                        [&](TokenId token) { return token == prompt[0] || token == all[6]; });
        QVERIFY((ended == TokenIds(all.begin(), first + 1)));
    }

    void fillsThePositionsUnlessAskedForLess()
    {
        const ModelWithWeights model(modelOf(ModelFamily::Gpt)); // 24 positions
        GenerationOptions options = greedy(0);
        options.newTokens.reset();
        const auto result = continuePrompts(model, {{1, 2, 3}, TokenIds(24, 1)}, options).value();
        QCOMPARE(result[0].size(), std::size_t(25)); // the last one needs no position
        QCOMPARE(result[1].size(), std::size_t(25));
    }

    void tellsEachTokenAndEndsWhenNobodyListens()
    {
        const ModelWithWeights model(modelOf(ModelFamily::Gpt));
        std::vector<TokenIds> told{{1, 2}, {3}};
        const auto result = continuePrompts(model, told, greedy(4), [&](std::size_t prompt, TokenId token) {
            told[prompt].push_back(token);
            return true;
        });
        QVERIFY(result.value() == told);
        int calls = 0;
        const auto ended =
            continuePrompts(model, {{1, 2}}, greedy(9), [&](std::size_t, TokenId) { return ++calls < 3; });
        QCOMPARE(ended.value().front().size(), std::size_t(5));
    }

    void namesThePromptThatIsWrong()
    {
        const ModelSpec spec = modelOf(ModelFamily::Gpt);
        QCOMPARE(problemOf(spec, {{1}, {}}),
                 QString("prompt 2 has no tokens — give at least one token for the model to begin with"));
        QVERIFY(problemOf(spec, {{1, 13}})
                    .startsWith("prompt 1 has the token 13, but the vocabulary ends at 12"));
        QVERIFY(problemOf(spec, {{-1}}).startsWith("prompt 1 has the token -1"));
        QCOMPARE(problemOf(spec, {{1}, TokenIds(25, 1)}),
                 QString("prompt 2 has 25 tokens, but the model has 24 positions — shorten it"));
        QCOMPARE(
            problemOf(spec, {TokenIds(20, 1)}, 6),
            QString("prompt 1 has 20 tokens; the model's 24 positions leave room for 5 new ones, not for 6 "
                    "— ask for 5 new tokens at most, or shorten the prompt"));
        QVERIFY(problemOf(modelOf(ModelFamily::Bert), {{1}}).contains("encoder"));
    }

    void refusesValuesThatAreNotFinite()
    {
        ModelWithWeights model(modelOf(ModelFamily::Gpt));
        model.get().parameters().parameters().front().master.fill_(std::numeric_limits<double>::infinity());
        model.get().parameters().refreshWorkingCopy();
        const auto result = continuePrompts(model, {{1, 2}}, greedy(1));
        QVERIFY(!result.ok());
        QCOMPARE(result.error().kind, ErrorKind::Failed);
    }

    void fillsMasksWithTheMostProbableWords()
    {
        const ModelWithWeights model(modelOf(ModelFamily::Bert));
        constexpr TokenId kMask = 4;
        const std::vector<TokenIds> prompts{{2, kMask, 7, kMask, 3}, {kMask}};
        const auto masks = fillMasks(model, prompts, kMask, 3).value();
        QCOMPARE(masks[0].size(), std::size_t(2));
        QCOMPARE(masks[0][1].position, std::size_t(3));
        QCOMPARE(masks[1].size(), std::size_t(1));
        const c10::AutoGradMode noGraph(false);
        TokenBatch batch;
        batch.inputIds = idTensor(prompts[0]).unsqueeze(0);
        batch.tokenTypeIds = idTensor(TokenIds(5, 0)).unsqueeze(0);
        batch.targetPositions = idTensor({3});
        batch.sampleIndices = {0};
        const at::Tensor expected =
            at::softmax(static_cast<const LanguageModel&>(model).logits(batch, std::nullopt).tokens[0], -1);
        QCOMPARE(masks[0][1].best.size(), std::size_t(3));
        QCOMPARE(masks[0][1].best.front().token, expected.argmax().item<std::int64_t>());
        double before = 1;
        for (const TokenProbability& each : masks[0][1].best) {
            QVERIFY(std::abs(each.probability - expected[each.token].item<double>()) < 1e-12);
            QVERIFY(each.probability <= std::exchange(before, each.probability));
        }
    }

    void saysWhatCannotBeFilledIn()
    {
        const ModelWithWeights encoder(modelOf(ModelFamily::Bert)), decoder(modelOf(ModelFamily::Gpt));
        const auto without = fillMasks(encoder, {{4}, {1, 2}}, 4, 3);
        QVERIFY(!without.ok());
        QVERIFY(QString::fromStdString(without.error().message).startsWith("prompt 2 has no mask"));
        const auto continued = fillMasks(decoder, {{4}}, 4, 3);
        QVERIFY(!continued.ok());
        QVERIFY(QString::fromStdString(continued.error().message).contains("decoder"));
        ModelSpec tagging = modelOf(ModelFamily::Bert);
        tagging.task.kind = TaskKind::Tag;
        const ModelWithWeights tagger(tagging);
        const auto tagged = fillMasks(tagger, {{4}}, 4, 3);
        QVERIFY(!tagged.ok());
        QVERIFY(QString::fromStdString(tagged.error().message).contains("predicts no words"));
    }
};

QTEST_APPLESS_MAIN(TestGeneration)
#include "tst_generation.moc"
