#include <algorithm>

#include <QTest>

#include "app/designer/model/layer_drawing.h"
#include "app/designer/model/layer_text.h"
#include "engine/planner/layout/parameter_parts.h"
#include "engine/spec/presets.h"

using namespace trainyard;

namespace {

/// Narrow gaps between digits as plain ones.
QString plain(QString text)
{
    return text.replace(QChar(0x202f), QLatin1Char(' '));
}

QStringList boxTitles(const std::vector<DrawnBox>& boxes)
{
    QStringList titles;
    for (const DrawnBox& box : boxes)
        titles << box.title;
    return titles;
}

/// "Embedding | (RMSNorm > Attention) + (RMSNorm > Feed-forward) + | Final RMSNorm > Head": lanes in
/// brackets, with & between those beside each other, / before alternatives, + for each sum.
QString flowOf(const LayerDrawing& drawing)
{
    QString layer;
    for (const DrawnBranch& branch : drawing.branches) {
        for (std::size_t i = 0; i < branch.lanes.size(); ++i) {
            const DrawnLane& lane = branch.lanes[i];
            layer += i == 0 ? " " : lane.isAlternative ? " / " : " & ";
            layer += "(" + boxTitles(lane.boxes).join(" > ") + ")";
        }
        layer += " +";
        for (const DrawnBox& box : branch.afterSum)
            layer += " " + box.title;
    }
    return boxTitles(drawing.before).join(" > ") + " |" + layer + " | " + boxTitles(drawing.behind).join(" > ");
}

const DrawnBox& boxOf(const LayerDrawing& drawing, DrawnBox::Kind kind)
{
    const auto boxes = drawing.boxes();
    return **std::ranges::find(boxes, kind, [](const DrawnBox* box) { return box->kind; });
}

QString factTexts(const LayerDrawing& drawing, DrawnBox::Kind kind)
{
    return plain(boxOf(drawing, kind).facts.join(", "));
}

std::int64_t sumOf(const LayerDrawing& drawing)
{
    std::int64_t sum = 0;
    for (const DrawnBox* box : drawing.boxes())
        sum += box->allParameters();
    return sum;
}

LayerDrawing drawingOf(const char* preset)
{
    return drawLayer(*modelPreset(preset));
}

const char* const kPreNorm =
    "Embedding | (RMSNorm > Attention) + (RMSNorm > Feed-forward) + | Final RMSNorm > Head";

} // namespace

/// What the drawing of a model says, and that its parameters are those of the planner.
class TestLayerDrawing : public QObject {
    Q_OBJECT

private slots:
    void boxesFollowTheFlowOfData_data()
    {
        QTest::addColumn<QString>("flow");
        QTest::addColumn<QString>("embedding");
        QTest::addColumn<QString>("attention");
        QTest::addColumn<QString>("head");
        QTest::newRow("bert-base") << "Embedding | (Attention) + LayerNorm (Feed-forward) + LayerNorm | Head"
                                   << "30 522 words of 768, 512 learned positions, 2 token types, LayerNorm"
                                   << "12 heads of 64, bidirectional, biases"
                                   << "transform of 768 with LayerNorm, 30 522 words, matrix tied to the "
                                      "embedding, pooler and next sentence";
        QTest::newRow("gpt2-small")
            << "Embedding | (LayerNorm > Attention) + (LayerNorm > Feed-forward) + | Final LayerNorm > Head"
            << "50 257 words of 768, 1 024 learned positions"
            << "12 heads of 64, causal, biases"
            << "50 257 words, matrix tied to the embedding";
        QTest::newRow("llama3-8b") << kPreNorm << "128 256 words of 4 096, rotary positions, in attention"
                                   << "32 heads of 128, 8 for keys and values, causal, rotary base 500 000"
                                   << "128 256 words, matrix of its own, not tied";
        QTest::newRow("qwen3-8b") << kPreNorm << "151 936 words of 4 096, rotary positions, in attention"
                                  << "32 heads of 128, 8 for keys and values, causal, RMSNorm of each query "
                                     "and key head, rotary base 1 000 000"
                                  << "151 936 words, matrix of its own, not tied";
        QTest::newRow("gemma2-9b")
            << "Embedding | (RMSNorm > Attention > RMSNorm) + (RMSNorm > Feed-forward > RMSNorm) + | Final "
               "RMSNorm > Head"
            << "256 000 words of 3 584, multiplied by √3 584, rotary positions, in attention"
            << "16 heads of 256, 8 for keys and values, causal, rotary base 10 000, 1 of 2 layers looks back "
               "4 096 tokens, scores capped at 50"
            << "256 000 words, matrix tied to the embedding, logits capped at 30";
        QTest::newRow("pythia-1.4b")
            << "Embedding | (LayerNorm > Attention) & (LayerNorm > Feed-forward) + | Final LayerNorm > Head"
            << "50 304 words of 2 048, rotary positions, in attention"
            << "16 heads of 128, causal, rotary base 10 000, on 25 % of each head, biases"
            << "50 304 words, matrix of its own, not tied";
        QTest::newRow("olmo2-7b")
            << "Embedding | (Attention > RMSNorm) + (Feed-forward > RMSNorm) + | Final RMSNorm > Head"
            << "100 352 words of 4 096, rotary positions, in attention"
            << "32 heads of 128, causal, RMSNorm of all queries and of all keys, rotary base 500 000"
            << "100 352 words, matrix of its own, not tied";
        QTest::newRow("modernbert-base")
            << "Embedding | (LayerNorm > Attention) + (LayerNorm > Feed-forward) + | Final LayerNorm > Head"
            << "50 368 words of 768, rotary positions, in attention, LayerNorm"
            << "12 heads of 64, bidirectional, rotary base 160 000, 10 000 in windows, 14 of 22 layers "
               "see 64 tokens on each side"
            << "transform of 768 with LayerNorm, 50 368 words, matrix tied to the embedding";
        QTest::newRow("mixtral-8x7b")
            << "Embedding | (RMSNorm > Attention) + (RMSNorm > Router > Experts) + | Final RMSNorm > Head"
            << "32 000 words of 4 096, rotary positions, in attention"
            << "32 heads of 128, 8 for keys and values, causal, rotary base 1 000 000"
            << "32 000 words, matrix of its own, not tied";
        QTest::newRow("qwen3-30b-a3b")
            << "Embedding | (RMSNorm > Attention) + (RMSNorm > Router > Experts) + | Final RMSNorm > Head"
            << "151 936 words of 2 048, rotary positions, in attention"
            << "32 heads of 128, 4 for keys and values, causal, RMSNorm of each query and key head, rotary "
               "base 1 000 000"
            << "151 936 words, matrix of its own, not tied";
    }

    void boxesFollowTheFlowOfData()
    {
        QFETCH(QString, flow);
        const LayerDrawing drawing = drawingOf(QTest::currentDataTag());
        QCOMPARE(flowOf(drawing), flow);
        QTEST(factTexts(drawing, DrawnBox::Kind::Embedding), "embedding");
        QTEST(factTexts(drawing, DrawnBox::Kind::Attention), "attention");
        QTEST(factTexts(drawing, DrawnBox::Kind::Head), "head");
    }

    void boxesAddUpToTheParametersOfThePlanner_data()
    {
        QTest::addColumn<bool>("isPreset");
        for (const std::string& name : modelPresetNames())
            QTest::newRow(name.c_str()) << true;
    }

    void boxesAddUpToTheParametersOfThePlanner()
    {
        const LayerDrawing drawing = drawingOf(QTest::currentDataTag());
        const ModelSpec model = *modelPreset(QTest::currentDataTag());
        const ParameterParts parts = parameterParts(model);
        QCOMPARE(sumOf(drawing), parameterCount(model));
        QCOMPARE(drawing.parameters, parameterCount(model));
        QCOMPARE(drawing.before.front().allParameters(), parts.embeddings);
        QCOMPARE(drawing.layerParameters(), parameterCount(model) - parts.embeddings - parts.head);
        QVERIFY(modelProblems(model).empty());
    }

    void unusualModelsAddUpToo_data()
    {
        QTest::addColumn<int>("experts");
        QTest::addColumn<int>("adapters");
        QTest::addColumn<int>("task");
        QTest::newRow("experts in some layers") << 3 << 0 << 0;
        QTest::newRow("adapters") << 0 << 8 << 0;
        QTest::newRow("classes") << 0 << 0 << int(TaskKind::Classify);
        QTest::newRow("classes with adapters") << 0 << 4 << int(TaskKind::Classify);
    }

    void unusualModelsAddUpToo()
    {
        QFETCH(int, experts);
        QFETCH(int, adapters);
        QFETCH(int, task);
        ModelSpec model = *modelPreset(experts > 0 ? "mixtral-8x7b" : "bert-base");
        model.experts.every = std::max(1, experts);
        model.lora.rank = adapters;
        model.task.kind = static_cast<TaskKind>(task);
        QVERIFY(modelProblems(model).empty());
        QCOMPARE(sumOf(drawLayer(model)), parameterCount(model));
    }

    void expertsInSomeLayersAreAnAlternative()
    {
        ModelSpec model = *modelPreset("mixtral-8x7b");
        model.experts.every = 2;
        const LayerDrawing drawing = drawLayer(model);
        QCOMPARE(flowOf(drawing),
                 "Embedding | (RMSNorm > Attention) + (RMSNorm > Router > Experts) / (RMSNorm > "
                 "Feed-forward) + | Final RMSNorm > Head");
        QCOMPARE(boxOf(drawing, DrawnBox::Kind::Experts).times, 16);
        QCOMPARE(factTexts(drawing, DrawnBox::Kind::FeedForward), "SwiGLU 14 336, in 16 of 32 layers");
        QVERIFY(drawingText(drawing).contains("or, in other layers:"));
    }

    void mixturesSayTotalAndActiveParameters()
    {
        const LayerDrawing drawing = drawingOf("mixtral-8x7b");
        QCOMPARE(drawing.active, activeParameterCount(*modelPreset("mixtral-8x7b")));
        QCOMPARE(drawingSummary(drawing), "46.7 billion parameters, 12.9 billion active per token");
        QCOMPARE(factTexts(drawing, DrawnBox::Kind::Router),
                 "chooses 2 of 8 experts for each token, weights add up to 1");
        QCOMPARE(factTexts(drawing, DrawnBox::Kind::Experts), "8 experts of SwiGLU 14 336, 2 per token");
        QCOMPARE(plain(shapeText(boxOf(drawing, DrawnBox::Kind::Experts).tensors.front())),
                 "8 × 28 672 × 4 096");
    }

    void figuresAreOfOneBoxAndOfAll()
    {
        const LayerDrawing drawing = drawingOf("llama3-8b");
        const DrawnBox& attention = boxOf(drawing, DrawnBox::Kind::Attention);
        QCOMPARE(attention.parameters(), std::int64_t(2 * 4096 * 4096 + 2 * 1024 * 4096));
        QCOMPARE(boxFigures(attention, drawing), "32 × 41.9 M · 16.7 %");
        QCOMPARE(plain(describeBox(attention, drawing)),
                 "Attention: 32 heads of 128, 8 for keys and values, causal, rotary base 500 000; 32 × "
                 "41 943 040 parameters, 16.7 % of the model");
        QCOMPARE(layerTitle(drawing), "Layer × 32");
        QCOMPARE(layerFigures(drawing), "6.98 B · 86.9 %");
        QCOMPARE(boxFigures(drawing.before.front(), drawing), "525 M · 6.5 %");
        QVERIFY(boxText(attention, drawing).contains("model.layers.0.self_attn.k_proj.weight\t1"));
    }

    void aTiedHeadOfADecoderHasNoParameters()
    {
        const LayerDrawing drawing = drawingOf("gpt2-small");
        QCOMPARE(boxFigures(drawing.behind.back(), drawing), "no parameters");
    }

    void theFirstLayerMayLackANorm()
    {
        const LayerDrawing drawing = drawingOf("modernbert-base");
        const DrawnBox& norm = drawing.branches.front().lanes.front().boxes.front();
        QCOMPARE(norm.times, 21);
        QCOMPARE(norm.facts.join(", "), "without bias, not in the first layer");
        ModelSpec single = *modelPreset("modernbert-base");
        single.layers = 1;
        QCOMPARE(drawLayer(single).branches.front().lanes.front().boxes.size(), std::size_t(1));
    }

    void windowsAreSaidByLayers_data()
    {
        QTest::addColumn<int>("layers");
        QTest::addColumn<int>("every");
        QTest::addColumn<int>("leading");
        QTest::addColumn<QString>("fact");
        QTest::newRow("all") << 4 << 0 << 0 << "window of 4 096 tokens";
        QTest::newRow("a pattern") << 12 << 6 << 0 << "5 of 6 layers look back 4 096 tokens";
        QTest::newRow("a broken pattern") << 10 << 6 << 0 << "8 of 10 layers look back 4 096 tokens";
        QTest::newRow("not the first ones") << 12 << 0 << 9 << "3 of 12 layers look back 4 096 tokens";
        QTest::newRow("none") << 4 << 1 << 0 << "";
    }

    void windowsAreSaidByLayers()
    {
        ModelSpec model = *modelPreset("mistral-7b");
        QFETCH(int, layers);
        QFETCH(int, every);
        QFETCH(int, leading);
        model.layers = layers;
        model.window = 4096;
        model.globalEvery = every;
        model.globalLeading = leading;
        QFETCH(QString, fact);
        QCOMPARE(factTexts(drawLayer(model), DrawnBox::Kind::Attention).contains("4 096 tokens"),
                 !fact.isEmpty());
        QVERIFY(factTexts(drawLayer(model), DrawnBox::Kind::Attention).contains(fact));
    }

    void countsAreShort_data()
    {
        QTest::addColumn<qint64>("count");
        QTest::addColumn<QString>("text");
        QTest::newRow("digits") << qint64(4096) << "4 096";
        QTest::newRow("thousands") << qint64(590'592) << "591 k";
        QTest::newRow("nearly a million") << qint64(999'700) << "1 M";
        QTest::newRow("millions") << qint64(41'943'040) << "41.9 M";
        QTest::newRow("billions") << qint64(8'030'261'248) << "8.03 B";
    }

    void countsAreShort()
    {
        QFETCH(qint64, count);
        QTEST(plain(shortCount(count)), "text");
    }

    void problemsAreThoseOfTheModelAlone()
    {
        ModelSpec model = *modelPreset("bert-base");
        model.heads = 7;
        const Diagnostics problems = modelProblems(model);
        QCOMPARE(problems.size(), std::size_t(1));
        QCOMPARE(problems.front().path, std::string("model.heads"));
    }
};

QTEST_APPLESS_MAIN(TestLayerDrawing)
#include "tst_layer_drawing.moc"
