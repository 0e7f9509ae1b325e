#include <QTest>

#include <cmath>
#include <vector>

#include <ATen/ops/arange.h>
#include <ATen/ops/empty_like.h>

#include "engine/model/model_parameters.h"
#include "engine/nn/language_model.h"
#include "engine/nn/parameters/initialization.h"
#include "engine/spec/names.h"
#include "tests/auto/nn/plain_transformer.h"
#include "tests/auto/nn/tiny_model.h"
#include "tests/support/tested_device/tested_device.h"

using namespace trainyard;

namespace {

constexpr DropoutKey kKey{42, 3};

QString describe(const ModelSpec& model)
{
    const auto text = [](std::string_view name) {
        return QString::fromUtf8(name.data(), qsizetype(name.size()));
    };
    return QString("%1 %2 %3-norm %4 %5")
        .arg(text(nameOf(model.family)), text(nameOf(model.activation)), text(nameOf(model.norm)),
             text(nameOf(model.positions)), model.tiedHead ? "tied" : "untied");
}

// Every combination of the options that a model has.
std::vector<ModelSpec> everyCombination()
{
    std::vector<ModelSpec> models;
    for (int options = 0; options < 64; ++options) {
        ModelSpec model = tinyModel(options & 1 ? ModelFamily::Gpt : ModelFamily::Bert);
        model.activation = static_cast<Activation>(options >> 1 & 3);
        model.norm = options & 8 ? NormPlacement::Pre : NormPlacement::Post;
        model.positions = options & 16 ? PositionEncoding::Rotary : PositionEncoding::Learned;
        model.tiedHead = !(options & 32);
        models.push_back(model);
    }
    return models;
}

void addEveryCombination()
{
    QTest::addColumn<ModelSpec>("model");
    for (const ModelSpec& model : everyCombination())
        QTest::addRow("%s", qPrintable(describe(model))) << model;
}

// Also biases and norms get numbers without pattern, so that each of them matters.
void fillWeights(ParameterStore& parameters)
{
    for (const Parameter& parameter : parameters.parameters()) {
        at::Tensor noise = at::empty_like(parameter.master);
        fillNormal(noise, 11, parameter.spec.name, 0.3);
        parameter.master.copy_(parameter.spec.initialization == Initialization::One ? noise + 1.0 : noise);
    }
    parameters.refreshWorkingCopy();
}

LanguageModel filledModel(const ModelSpec& spec, LayerRunner& runner = directRunner())
{
    LanguageModel model(spec, ComputeType::Float64, runner, testedDevice());
    fillWeights(model.parameters());
    return model;
}

double lossOf(const LanguageModel& model, const TokenBatch& batch)
{
    return model.forward(batch, kKey).normalised(8, 3).item<double>();
}

bool isClose(double actual, double expected, double tolerance)
{
    return std::abs(actual - expected) <= tolerance * std::max(1.0, std::abs(expected));
}

// Moves a parameter along `direction`.
class Shift {
public:
    Shift(const Parameter& parameter, const at::Tensor& direction, double length)
        : m_parameter(parameter), m_before(parameter.master.clone())
    {
        parameter.master.add_(direction, length);
    }
    ~Shift() { m_parameter.master.copy_(m_before); }

private:
    const Parameter& m_parameter;
    at::Tensor m_before;
};

// The derivative of the loss along a direction by central differences: wrong by the square of the step, and
// by rounding over the step.
double differenceQuotient(const LanguageModel& model, const TokenBatch& batch, const Parameter& parameter,
                          const at::Tensor& direction)
{
    constexpr double kStep = 1e-5;
    const auto lossAt = [&](double length) {
        const Shift shift(parameter, direction, length);
        return lossOf(model, batch);
    };
    return (lossAt(kStep) - lossAt(-kStep)) / (2 * kStep);
}

// Computes every part twice and keeps the second result, as recomputation in the backward pass would.
class RepeatingRunner : public LayerRunner {
public:
    std::vector<int> parts;
    std::vector<int> attentions;

    at::Tensor run(int part, const at::Tensor& input, const Part& compute) override
    {
        parts.push_back(part);
        compute(input);
        return compute(input);
    }
    at::Tensor runAttention(int layer, const at::Tensor& queryKeyValue, const Part& compute) override
    {
        attentions.push_back(layer);
        return compute(queryKeyValue);
    }
};

// Two stages with parameter stores of their own, holding the same numbers as the whole model.
struct TwoStages {
    ParameterStore firstParameters;
    ParameterStore secondParameters;
    TransformerStage first;
    TransformerStage second;

    TwoStages(const ModelSpec& model, const StageRange& front, const StageRange& back)
        : firstParameters(modelParameters(model, front), ComputeType::Float64, {}, GradientResidence::Whole,
                          WeightResidence::Whole, {testedDevice()})
        , secondParameters(modelParameters(model, back), ComputeType::Float64, {}, GradientResidence::Whole,
                           WeightResidence::Whole, {testedDevice()})
        , first(model, front, firstParameters)
        , second(model, back, secondParameters)
    {
        fillWeights(firstParameters);
        fillWeights(secondParameters);
    }

    LossSums forwardAndBackward(const TokenBatch& batch)
    {
        firstParameters.beginGradients();
        secondParameters.beginGradients();
        const at::Tensor sent = first.forward({batch, {}, kKey}).hidden;
        const at::Tensor received = sent.detach().requires_grad_();
        const LossSums losses = second.forward({batch, received, kKey}).losses;
        losses.normalised(8, 3).backward();
        sent.backward(received.grad());
        return losses;
    }

    // Of both stages together, where both have a copy.
    at::Tensor gradient(const std::string& name) const
    {
        at::Tensor sum;
        for (const ParameterStore* store : {&firstParameters, &secondParameters}) {
            if (store->contains(name))
                sum = sum.defined() ? sum + store->parameter(name).gradient : store->parameter(name).gradient;
        }
        return sum;
    }
};

} // namespace

class TestTransformer : public QObject {
    Q_OBJECT

private slots:
    void givesTheLossOfThePlainModel_data() { addEveryCombination(); }
    void givesTheLossOfThePlainModel()
    {
        QFETCH(ModelSpec, model);
        const LanguageModel engine = filledModel(model);
        const TokenBatch batch = tinyBatch(model);
        const LossSums losses = engine.forward(batch, std::nullopt);
        const PlainLosses plain = plainLosses(model, engine.parameters(), batch);
        QVERIFY(isClose(losses.tokenSum(), plain.tokens, 1e-12));
        QVERIFY(isClose(losses.sequenceSum(), plain.sequences, 1e-12));
        QCOMPARE(losses.sequences.defined(), model.family == ModelFamily::Bert);
    }

    void givesTheGradientOfFiniteDifferences_data() { addEveryCombination(); }
    void givesTheGradientOfFiniteDifferences()
    {
        QFETCH(ModelSpec, model);
        model.layers = 1;
        model.dropout = 0.2;
        model.attentionDropout = 0.2;
        LanguageModel engine = filledModel(model);
        const TokenBatch batch = tinyBatch(model);
        batch.inputIds.clamp_min_(1); // looking up the padding word leaves no gradient, on purpose
        engine.parameters().beginGradients();
        engine.forward(batch, kKey).normalised(8, 3).backward();
        const at::NoGradGuard noGradients;
        for (const Parameter& parameter : engine.parameters().parameters()) {
            at::Tensor direction = at::empty_like(parameter.master);
            fillNormal(direction, 5, parameter.spec.name, 1.0);
            const double expected = differenceQuotient(engine, batch, parameter, direction);
            const double actual = (parameter.gradient * direction).sum().item<double>();
            QVERIFY2(isClose(actual, expected, 1e-7), parameter.spec.name.c_str());
        }
    }

    void stagesGiveTheLossAndGradientOfTheWhole_data() { addEveryCombination(); }
    void stagesGiveTheLossAndGradientOfTheWhole()
    {
        QFETCH(ModelSpec, model);
        LanguageModel whole = filledModel(model);
        const TokenBatch batch = tinyBatch(model);
        whole.parameters().beginGradients();
        const LossSums expected = whole.forward(batch, kKey);
        expected.normalised(8, 3).backward();

        TwoStages stages(model, {true, 0, 1, false}, {false, 1, 2, true});
        const LossSums losses = stages.forwardAndBackward(batch);
        QCOMPARE(losses.tokenSum(), expected.tokenSum());
        QCOMPARE(losses.sequenceSum(), expected.sequenceSum());
        for (const Parameter& parameter : whole.parameters().parameters()) {
            const at::Tensor gradient = stages.gradient(parameter.spec.name);
            QVERIFY2(gradient.allclose(parameter.gradient, 1e-12, 1e-14), parameter.spec.name.c_str());
        }
    }

    void stageWithATiedHeadHasACopyOfTheWords()
    {
        const ModelSpec tied = tinyModel(ModelFamily::Gpt);
        const auto last = modelParameters(tied, {false, 1, 2, true});
        QCOMPARE(last.back().name, std::string("transformer.wte.weight"));
        QVERIFY(last.back().isCopy);
        QCOMPARE(last.back().part, tied.layers);
        for (const ParameterSpec& parameter : modelParameters(tied, {true, 0, 2, true}))
            QVERIFY(!parameter.isCopy);
        ModelSpec untied = tied;
        untied.tiedHead = false;
        QCOMPARE(modelParameters(untied, {false, 1, 2, true}).back().name, std::string("lm_head.weight"));
    }

    void runnerSeesEveryPartInOrder()
    {
        for (const ModelFamily family : {ModelFamily::Bert, ModelFamily::Gpt}) {
            ModelSpec model = tinyModel(family);
            model.dropout = 0.2;
            RepeatingRunner runner;
            const LanguageModel repeating = filledModel(model, runner);
            const TokenBatch batch = tinyBatch(model);
            QCOMPARE(lossOf(repeating, batch), lossOf(filledModel(model), batch));
            QCOMPARE(runner.parts, (std::vector<int>{-1, 0, 1, 2}));
            QCOMPARE(runner.attentions, (std::vector<int>{0, 0, 1, 1}));
        }
    }

    void decoderSeesNothingBehindAToken()
    {
        const ModelSpec model = tinyModel(ModelFamily::Gpt);
        const LanguageModel engine = filledModel(model);
        TokenBatch batch = tinyBatch(model);
        batch.attentionMask = at::Tensor();
        batch.targetPositions = at::arange(21, at::kLong);
        const at::Tensor before = engine.logits(batch, std::nullopt).tokens.view({3, 7, -1});
        batch.inputIds = batch.inputIds.clone();
        batch.inputIds.select(1, 4).add_(1).remainder_(model.vocabulary);
        const at::Tensor after = engine.logits(batch, std::nullopt).tokens.view({3, 7, -1});
        QVERIFY(after.narrow(1, 0, 4).equal(before.narrow(1, 0, 4)));
        QVERIFY(!after.narrow(1, 4, 3).isclose(before.narrow(1, 4, 3)).any().item<bool>());
    }

    void rotaryPositionsOnlyKnowDistances()
    {
        ModelSpec model = tinyModel(ModelFamily::Gpt);
        model.positions = PositionEncoding::Rotary;
        const LanguageModel engine = filledModel(model);
        TokenBatch batch = tinyBatch(model);
        const double expected = lossOf(engine, batch);
        batch.positionIds = at::arange(5, 12, at::kLong).expand({3, 7});
        QVERIFY(isClose(lossOf(engine, batch), expected, 1e-13));
        batch.positionIds = batch.positionIds * 2;
        QVERIFY(!isClose(lossOf(engine, batch), expected, 1e-6));
    }

    void learnedPositionsCanBeGiven()
    {
        const ModelSpec model = tinyModel(ModelFamily::Gpt);
        const LanguageModel engine = filledModel(model);
        TokenBatch batch = tinyBatch(model);
        const double expected = lossOf(engine, batch);
        batch.positionIds = at::arange(7, at::kLong).expand({3, 7});
        QCOMPARE(lossOf(engine, batch), expected);
        batch.positionIds = batch.positionIds + 1;
        QVERIFY(!isClose(lossOf(engine, batch), expected, 1e-6));
    }

    // What tensor parallelism cuts: everything but norms, position and type embeddings, biases behind a sum
    // over ranks, and the small products of BERT's heads.
    void saysHowEveryTensorIsCut()
    {
        const auto split = [](const ModelSpec& model, const std::string& name) {
            for (const ParameterSpec& parameter : modelParameters(model)) {
                if (parameter.name == name)
                    return parameter.split;
            }
            return TensorSplit{-2};
        };
        const ModelSpec gpt = tinyModel(ModelFamily::Gpt);
        QVERIFY(split(gpt, "transformer.wte.weight") == TensorSplit{0});
        QVERIFY(split(gpt, "transformer.wpe.weight") == TensorSplit{});
        QVERIFY(split(gpt, "transformer.h.1.attn.c_attn.weight") == (TensorSplit{0, 3}));
        QVERIFY(split(gpt, "transformer.h.1.attn.c_attn.bias") == (TensorSplit{0, 3}));
        QVERIFY(split(gpt, "transformer.h.1.attn.c_proj.weight") == TensorSplit{1});
        QVERIFY(split(gpt, "transformer.h.1.attn.c_proj.bias") == TensorSplit{});
        QVERIFY(split(gpt, "transformer.h.1.ln_1.weight") == TensorSplit{});
        const ModelSpec bert = tinyModel(ModelFamily::Bert);
        QVERIFY(split(bert, "bert.encoder.layer.0.attention.self.key.bias") == TensorSplit{0});
        QVERIFY(split(bert, "bert.encoder.layer.0.intermediate.dense.weight") == TensorSplit{0});
        QVERIFY(split(bert, "bert.encoder.layer.0.output.dense.weight") == TensorSplit{1});
        QVERIFY(split(bert, "cls.predictions.bias") == TensorSplit{0});
        QVERIFY(split(bert, "cls.predictions.transform.dense.weight") == TensorSplit{});
        QVERIFY(split(bert, "bert.pooler.dense.weight") == TensorSplit{});
    }

    void startsWithTheDeviationsOfGpt2()
    {
        ModelSpec model = tinyModel(ModelFamily::Gpt);
        model.layers = 8;
        model.hidden = 64;
        model.intermediate = 256;
        LanguageModel engine(model, ComputeType::Float64, directRunner(), testedDevice());
        engine.parameters().initialize(7, 0.02);
        const auto deviation = [&](const char* name) {
            return engine.parameters().parameter(name).master.std().item<double>();
        };
        // 16 residual sums. Four standard errors of a deviation over 4096 and more numbers are 4.4 %.
        QVERIFY(isClose(deviation("transformer.h.3.mlp.c_fc.weight") / 0.02, 1.0, 0.045));
        QVERIFY(isClose(deviation("transformer.h.3.mlp.c_proj.weight") / 0.005, 1.0, 0.045));
        QVERIFY(isClose(deviation("transformer.h.3.attn.c_proj.weight") / 0.005, 1.0, 0.045));
    }
};

QTEST_APPLESS_MAIN(TestTransformer)
#include "tst_transformer.moc"
