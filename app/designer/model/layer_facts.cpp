#include "app/designer/model/layer_facts.h"

#include <QObject>

#include "app/base/display_text.h"
#include "engine/model/model_family.h"
#include "engine/spec/names.h"

namespace trainyard {

namespace {

QString tokensText(int count)
{
    return displayCounted(count, "token");
}

QString activationName(Activation activation)
{
    switch (activation) {
    case Activation::Gelu:
        return QStringLiteral("GELU");
    case Activation::GeluNew:
        return QObject::tr("GELU with tanh");
    case Activation::Relu:
        return QStringLiteral("ReLU");
    case Activation::Swiglu:
        return QStringLiteral("SwiGLU");
    case Activation::Silu:
        return QStringLiteral("SiLU");
    case Activation::Geglu:
        return QStringLiteral("GeGLU");
    case Activation::GegluNew:
        return QObject::tr("GeGLU with tanh");
    }
    return toQString(nameOf(activation));
}

QString headsFact(const ModelSpec& model)
{
    const QString heads =
        QObject::tr("%1 of %2").arg(displayCounted(model.heads, "head"), displayCount(model.headSize()));
    if (model.keyHeads() == model.heads)
        return heads;
    return QObject::tr("%1, %2 for keys and values").arg(heads, displayCount(model.keyHeads()));
}

QString scalingFact(const RopeSpec& rope)
{
    const QString factor = displayNumber(rope.factor);
    switch (rope.scaling) {
    case RopeScaling::None:
        break;
    case RopeScaling::Linear:
        return QObject::tr("positions scaled linearly by %1").arg(factor);
    case RopeScaling::Llama3:
        return QObject::tr("positions scaled by %1 as in Llama 3").arg(factor);
    case RopeScaling::Yarn:
        return QObject::tr("positions scaled by %1 with YaRN").arg(factor);
    }
    return {};
}

QStringList rotaryFacts(const RopeSpec& rope)
{
    QString base = QObject::tr("rotary base %1").arg(displayNumber(rope.base));
    if (rope.windowBase > 0 && rope.windowBase != rope.base)
        base += QObject::tr(", %1 in windows").arg(displayNumber(rope.windowBase));
    if (rope.share < 1)
        base += QObject::tr(", on %1 % of each head").arg(displayNumber(100 * rope.share));
    return {base, scalingFact(rope)};
}

int layersWithWindow(const ModelSpec& model)
{
    int count = 0;
    for (int layer = 0; layer < model.layers; ++layer)
        count += model.hasWindow(layer) ? 1 : 0;
    return count;
}

QString queryKeyNormFact(const ModelSpec& model)
{
    switch (model.queryKeyNorm) {
    case QueryKeyNorm::None:
        break;
    case QueryKeyNorm::Head:
        return QObject::tr("%1 of each query and key head").arg(normName(model));
    case QueryKeyNorm::Whole:
        return QObject::tr("%1 of all queries and of all keys").arg(normName(model));
    }
    return {};
}

QStringList scoreFacts(const ModelSpec& model)
{
    QStringList facts;
    if (model.queryScaleWidth > 0 && model.queryScaleWidth != model.headSize())
        facts << QObject::tr("scores / √%1").arg(displayNumber(model.queryScaleWidth));
    if (model.scoreCap > 0)
        facts << QObject::tr("scores capped at %1").arg(displayNumber(model.scoreCap));
    return facts;
}

QString attentionBiasFact(const ModelSpec& model)
{
    switch (model.attentionBiases) {
    case AttentionBiases::None:
        break;
    case AttentionBiases::QueryKeyValue:
        return QObject::tr("biases of queries, keys and values");
    case AttentionBiases::All:
        return QObject::tr("biases");
    }
    return {};
}

QStringList wordFacts(const ModelSpec& model)
{
    QStringList facts{QObject::tr("%1 words").arg(displayCount(model.vocabulary)),
                      model.tiedHead ? QObject::tr("matrix tied to the embedding")
                                     : QObject::tr("matrix of its own, not tied")};
    if (model.logitCap > 0)
        facts << QObject::tr("logits capped at %1").arg(displayNumber(model.logitCap));
    return facts;
}

QString taskFact(const TaskSpec& task)
{
    switch (task.kind) {
    case TaskKind::Classify:
        return QObject::tr("%1 classes of a row").arg(displayCount(task.labels));
    case TaskKind::Regress:
        return QObject::tr("one number for a row");
    case TaskKind::Tag:
        return QObject::tr("%1 classes of each word").arg(displayCount(task.labels));
    case TaskKind::Answer:
        return QObject::tr("begin and end of the answer");
    case TaskKind::None:
    case TaskKind::Complete:
        break;
    }
    return {};
}

QStringList withoutEmpty(QStringList facts)
{
    facts.removeAll(QString());
    return facts;
}

} // namespace

QStringList embeddingFacts(const ModelSpec& model)
{
    QStringList facts{
        QObject::tr("%1 words of %2").arg(displayCount(model.vocabulary), displayCount(model.hidden))};
    if (model.scaledEmbeddings)
        facts << QObject::tr("multiplied by √%1").arg(displayCount(model.hidden));
    facts << (model.positions == PositionEncoding::Learned
                  ? QObject::tr("%1 learned positions").arg(displayCount(model.maxPositions))
                  : QObject::tr("rotary positions, in attention"));
    if (model.tokenTypes > 0)
        facts << displayCounted(model.tokenTypes, "token type");
    if (model.embeddingNorm)
        facts << normName(model);
    return facts;
}

QString normName(const ModelSpec& model)
{
    return model.normKind == NormKind::LayerNorm ? QStringLiteral("LayerNorm") : QStringLiteral("RMSNorm");
}

QStringList normFacts(const ModelSpec& model)
{
    if (model.normKind == NormKind::RmsNormOffset)
        return {QObject::tr("weight + 1")};
    return model.normKind == NormKind::LayerNorm && !model.normBiases
               ? QStringList{QObject::tr("without bias")}
               : QStringList();
}

QString windowFact(const ModelSpec& model)
{
    const int windows = layersWithWindow(model);
    if (windows == 0)
        return {};
    const QString reach = tokensText(model.window);
    if (windows == model.layers)
        return model.isDecoder() ? QObject::tr("window of %1").arg(reach)
                                 : QObject::tr("window of %1 on each side").arg(reach);
    const bool repeats = model.globalLeading == 0 && model.layers % model.globalEvery == 0;
    const int some = repeats ? model.globalEvery - 1 : windows;
    const int all = repeats ? model.globalEvery : model.layers;
    if (!model.isDecoder())
        return (some == 1 ? QObject::tr("1 of %2 layers sees %3 on each side")
                          : QObject::tr("%1 of %2 layers see %3 on each side").arg(some))
            .arg(all)
            .arg(reach);
    return (some == 1 ? QObject::tr("1 of %2 layers looks back %3")
                      : QObject::tr("%1 of %2 layers look back %3").arg(some))
        .arg(all)
        .arg(reach);
}

QStringList attentionFacts(const ModelSpec& model)
{
    QStringList facts{headsFact(model),
                      model.isDecoder() ? QObject::tr("causal") : QObject::tr("bidirectional"),
                      queryKeyNormFact(model)};
    if (model.positions == PositionEncoding::Rotary)
        facts << rotaryFacts(model.rope);
    facts << windowFact(model) << scoreFacts(model) << attentionBiasFact(model);
    return withoutEmpty(facts);
}

QStringList feedForwardFacts(const ModelSpec& model)
{
    QStringList facts{
        QStringLiteral("%1 %2").arg(activationName(model.activation), displayCount(model.intermediate))};
    if (model.feedForwardBiases)
        facts << QObject::tr("biases");
    return facts;
}

QStringList routerFacts(const ModelSpec& model)
{
    QStringList facts{QObject::tr("chooses %1 of %2 experts for each token")
                          .arg(displayCount(model.experts.perToken), displayCount(model.experts.count))};
    if (model.experts.normalized)
        facts << QObject::tr("weights add up to 1");
    return facts;
}

QStringList expertFacts(const ModelSpec& model)
{
    return {QObject::tr("%1 of %2 %3")
                .arg(displayCounted(model.experts.count, "expert"), activationName(model.activation),
                     displayCount(model.expertWidth())),
            QObject::tr("%1 per token").arg(displayCount(model.experts.perToken))};
}

QStringList headFacts(const ModelSpec& model)
{
    QStringList facts;
    const QString transform =
        QObject::tr("transform of %1 with %2").arg(displayCount(model.hidden), normName(model));
    if (model.task.hasHead()) {
        const bool transforms = !taskHeadNames(model).transform.empty();
        const QString pooler = model.task.poolsFirstToken() ? QObject::tr("pooler") : QString();
        return withoutEmpty({transforms ? transform : pooler, taskFact(model.task)});
    }
    if (!model.isDecoder())
        facts << transform;
    facts << wordFacts(model);
    if (model.predictsNextSentence())
        facts << QObject::tr("pooler and next sentence");
    return facts;
}

} // namespace trainyard
