#include <QTest>

#include <numeric>

#include "engine/model/model_parameters.h"
#include "engine/model/stage_range.h"
#include "engine/nn/parameters/flat_layout.h"
#include "engine/planner/layout/parameter_parts.h"
#include "engine/spec/lora_targets.h"
#include "engine/spec/names.h"
#include "engine/spec/presets.h"
#include "tests/auto/nn/tiny_model.h"

using namespace trainyard;

// The planner counts parameters by formula, the model by listing its tensors: both must come to the same.

namespace {

std::int64_t elementsIn(const ModelSpec& model, int part, bool trainedAlone = false)
{
    std::int64_t elements = 0;
    for (const ParameterSpec& parameter : modelParameters(model)) {
        if (parameter.part == part && (!trainedAlone || !parameter.isFrozen))
            elements += std::accumulate(parameter.shape.begin(), parameter.shape.end(), std::int64_t{1},
                                        std::multiplies<>());
    }
    return elements;
}

ModelSpec smallModel(ModelFamily family)
{
    ModelSpec model;
    model.setFamily(family);
    model.layers = 3;
    model.hidden = 12;
    model.heads = 3;
    model.intermediate = 29;
    model.vocabulary = 97;
    model.maxPositions = 17;
    return model;
}

} // namespace

class TestPlannedParameters : public QObject {
    Q_OBJECT

private slots:
    void agreesWithTheTensorsOfTheModel_data()
    {
        QTest::addColumn<ModelSpec>("model");
        for (const ModelFamily family : {ModelFamily::Bert, ModelFamily::Gpt}) {
            const std::string name(nameOf(family));
            ModelSpec model = smallModel(family);
            QTest::addRow("%s", name.c_str()) << model;
            model.activation = Activation::Swiglu;
            QTest::addRow("%s, gated", name.c_str()) << model;
            model.norm = model.norm == NormPlacement::Pre ? NormPlacement::Post : NormPlacement::Pre;
            QTest::addRow("%s, other norm", name.c_str()) << model;
            model.positions = PositionEncoding::Rotary;
            QTest::addRow("%s, rotary", name.c_str()) << model;
            model.tiedHead = false;
            QTest::addRow("%s, untied", name.c_str()) << model;
            model.nextSentence = false;
            QTest::addRow("%s, without next sentence", name.c_str()) << model;
            model.tokenTypes = 4;
            QTest::addRow("%s, four token types", name.c_str()) << model;
        }
        for (std::size_t number = 0; number < kEnumNames<ModelFamily>.size(); ++number) {
            const auto family = static_cast<ModelFamily>(number);
            const std::string name(nameOf(family));
            ModelSpec model = smallModel(family);
            QTest::addRow("family %s", name.c_str()) << model;
            model.headWidth = 6;
            QTest::addRow("family %s, wide heads", name.c_str()) << model;
            model.normKind = NormKind::RmsNorm;
            model.norm = NormPlacement::Both;
            model.attentionBiases = AttentionBiases::QueryKeyValue;
            model.feedForwardBiases = false;
            model.queryKeyNorm = QueryKeyNorm::Head;
            model.positions = PositionEncoding::Learned;
            model.positionOffset = 3;
            QTest::addRow("family %s, normed everywhere", name.c_str()) << model;
        }
        for (const int every : {1, 2, 3}) {
            ModelSpec model = smallModel(ModelFamily::Qwen3Moe);
            model.experts = {.count = 5, .perToken = 2, .width = 7, .every = every};
            QTest::addRow("experts in each %d layers", every) << model;
            model.lora = {.rank = 2, .targets = {}};
            QTest::addRow("experts in each %d layers, adapters", every) << model;
        }
        for (const ModelFamily family : {ModelFamily::Llama, ModelFamily::Olmo2, ModelFamily::Roberta}) {
            const std::string name(nameOf(family));
            ModelSpec model = smallModel(family);
            model.heads = 6;
            model.keyValueHeads = 6;
            QTest::addRow("family %s, as many keys as queries", name.c_str()) << model;
            model.heads = 12; // ranks share heads evenly
            model.headWidth = 2;
            QTest::addRow("family %s, two queries a key", name.c_str()) << model;
            model.lora = {.rank = 2, .targets = {}};
            QTest::addRow("family %s, two queries a key, adapters", name.c_str()) << model;
        }
        for (const TaskKind kind : {TaskKind::Classify, TaskKind::Regress, TaskKind::Tag, TaskKind::Answer}) {
            ModelSpec model = smallModel(ModelFamily::Bert);
            model.task = {.kind = kind, .labels = 5};
            QTest::addRow("%s", std::string(nameOf(kind)).c_str()) << model;
            model.tiedHead = false;
            QTest::addRow("%s, untied", std::string(nameOf(kind)).c_str()) << model;
            model.lora = {.rank = 2, .targets = {}};
            QTest::addRow("%s, adapters", std::string(nameOf(kind)).c_str()) << model;
        }
        for (const ModelFamily family : {ModelFamily::Bert, ModelFamily::Gpt}) {
            const std::string name(nameOf(family));
            ModelSpec model = smallModel(family);
            model.lora = {.rank = 5, .targets = {}};
            QTest::addRow("%s, adapters", name.c_str()) << model;
            model.activation = Activation::Swiglu;
            for (const AdaptableProduct& product : adaptableProducts(model))
                model.lora.targets.emplace_back(product.name);
            QTest::addRow("%s, gated, adapters everywhere", name.c_str()) << model;
        }
    }
    void agreesWithTheTensorsOfTheModel()
    {
        QFETCH(ModelSpec, model);
        const ParameterParts parts = parameterParts(model);
        QCOMPARE(parts.embeddings, elementsIn(model, kEmbeddingsPart));
        const bool areEqual = model.experts.every == 1;
        for (int layer = model.firstLayerNorm ? 0 : 1; areEqual && layer < model.layers; ++layer)
            QCOMPARE(parts.perLayer, elementsIn(model, layer));
        QCOMPARE(parts.head, elementsIn(model, model.layers));
        std::int64_t all = 0;
        for (int part = kEmbeddingsPart; part <= model.layers; ++part)
            all += elementsIn(model, part);
        QCOMPARE(parameterCount(model), all);
        const ParameterParts trained = trainedParts(model);
        QCOMPARE(trained.embeddings, elementsIn(model, kEmbeddingsPart, true));
        if (areEqual)
            QCOMPARE(trained.perLayer, elementsIn(model, 1, true));
        QCOMPARE(trained.head, elementsIn(model, model.layers, true));
        QCOMPARE(trainedParameterCount(model) < parameterCount(model), model.lora.isOn());
    }

    void knowsWhatEachRankHoldsOfEachStage_data() { agreesWithTheTensorsOfTheModel_data(); }
    void knowsWhatEachRankHoldsOfEachStage()
    {
        QFETCH(ModelSpec, model);
        const StageRange stages[] = {
            {true, 0, 3, true}, {true, 0, 2, false}, {false, 1, 2, false}, {false, 2, 3, true}};
        for (const StageRange& stage : stages) {
            for (const auto& [tensorRank, tensorRanks] : {std::pair{0, 1}, {0, 2}, {1, 2}, {2, 3}}) {
                const FlatLayout layout(modelParameters(model, stage), {.tensor = {tensorRank, tensorRanks}});
                std::vector<std::int64_t> held;
                for (const FlatLayout::Stack& stack : layout.stacks())
                    held.push_back(stack.isFrozen ? -elementCount(stack.shape) : elementCount(stack.shape));
                std::vector<std::int64_t> planned;
                for (const FlatBlock& block : flatBlocks(
                         model,
                         {stage.embeddings, stage.firstLayer, stage.endLayer - stage.firstLayer, stage.head},
                         tensorRank, tensorRanks))
                    planned.push_back(block.isFrozen ? -block.elements : block.elements);
                QCOMPARE(planned, held);
            }
        }
    }

    void countsPublishedModels_data()
    {
        QTest::addColumn<qint64>("parameters");
        QTest::addRow("llama3-8b") << qint64{8'030'261'248};
        QTest::addRow("mistral-7b") << qint64{7'241'732'096};
        QTest::addRow("gemma2-9b") << qint64{9'241'705'984};
        QTest::addRow("mixtral-8x7b") << qint64{46'702'792'704};
        QTest::addRow("qwen3-30b-a3b") << qint64{30'532'122'624};
    }
    void countsPublishedModels()
    {
        QFETCH(qint64, parameters);
        const auto model = modelPreset(QTest::currentDataTag());
        QVERIFY(model.has_value());
        QCOMPARE(parameterCount(*model), parameters);
    }

    void countsWhatComputesWithAToken()
    {
        QCOMPARE(activeParameterCount(*modelPreset("mixtral-8x7b")), std::int64_t{12'879'925'248});
        QCOMPARE(activeParameterCount(*modelPreset("llama3-8b")), parameterCount(*modelPreset("llama3-8b")));
    }

    void countsTheCopyOfATiedHeadOnAnotherStage()
    {
        const ModelSpec model = smallModel(ModelFamily::Gpt);
        const ParameterSpec copy = modelParameters(model, {false, 2, 3, true}).back();
        QCOMPARE(parameterParts(model).words, copy.shape[0] * copy.shape[1]);
    }
};

QTEST_APPLESS_MAIN(TestPlannedParameters)
#include "tst_planned_parameters.moc"
