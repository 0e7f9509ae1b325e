#include "engine/model/bert_head_names.h"
#include "engine/model/model_family.h"

namespace trainyard {

namespace {

class BertFamily : public ModelFamilyTraits {
public:
    bool isCausal() const override { return false; }

    EmbeddingNames embeddingNames() const override
    {
        return {"bert.embeddings.word_embeddings.weight", "bert.embeddings.position_embeddings.weight",
                "bert.embeddings.token_type_embeddings.weight", "bert.embeddings.LayerNorm"};
    }

    std::int64_t paddingWord() const override { return 0; } // [PAD]

    LayerNames layerNames(int layer) const override
    {
        const std::string prefix = "bert.encoder.layer." + std::to_string(layer);
        const std::string attention = prefix + ".attention.self.";
        return {{attention + "query", attention + "key", attention + "value"},
                prefix + ".attention.output.dense",
                prefix + ".attention.output.LayerNorm",
                prefix + ".intermediate.gate",
                prefix + ".intermediate.dense",
                prefix + ".output.dense",
                prefix + ".output.LayerNorm"};
    }

    HeadNames headNames() const override
    {
        return {"bert.encoder.LayerNorm", "cls.predictions.decoder.weight"};
    }

    double residualDeviationScale(const ModelSpec&) const override { return 1.0; }

    void addHead(ParameterList& list, const ModelSpec& model) const override
    {
        if (model.task.hasHead())
            return addTaskHead(list, model);
        if (model.nextSentence)
            list.linear(bert_head::kPooler, model.hidden, model.hidden);
        list.linear(bert_head::kTransform, model.hidden, model.hidden);
        list.layerNorm(bert_head::kTransformNorm, model.hidden);
        list.bias(bert_head::kDecoderBias, model.vocabulary, TensorSplit{0});
        if (model.nextSentence)
            list.linear(bert_head::kNextSentence, 2, model.hidden);
    }

private:
    static void addTaskHead(ParameterList& list, const ModelSpec& model)
    {
        if (model.task.poolsFirstToken())
            list.linear(bert_head::kPooler, model.hidden, model.hidden);
        list.linear(bert_head::taskOutput(model.task), model.task.outputs(), model.hidden);
    }
};

} // namespace

const ModelFamilyTraits& bertFamily()
{
    static const BertFamily family;
    return family;
}

} // namespace trainyard
