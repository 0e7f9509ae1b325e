#pragma once

#include <array>
#include <string>

#include "engine/model/parameter_list.h"
#include "engine/spec/run_spec.h"

namespace trainyard {

// Names of tensors, Hugging Face's where it has the tensor. Products and norms stand without ".weight" and
// ".bias".

struct EmbeddingNames {
    std::string words;
    std::string positions;
    std::string tokenTypes;
    std::string norm; ///< empty: the embeddings are not normalised
};

struct LayerNames {
    /// Query, key and value: three tensors that lie behind each other, or one of three blocks with the last
    /// two names empty.
    std::array<std::string, 3> queryKeyValue;
    std::string attentionOutput;
    std::string attentionNorm;
    std::string feedForwardGate; ///< SwiGLU only
    std::string feedForwardIn;
    std::string feedForwardOut;
    std::string feedForwardNorm;
};

struct HeadNames {
    std::string finalNorm; ///< pre layer norm only
    std::string decoder;   ///< untied head only; a weight without bias
};

/// What makes a family of models, beside the options of ModelSpec and the head that computes
/// (engine/nn/families/model_head.h). A new family is one more of these and its line in familyOf(), and a
/// head and its line in makeHead().
class ModelFamilyTraits {
public:
    virtual ~ModelFamilyTraits() = default;

    virtual bool isCausal() const = 0; ///< a token sees nothing behind it
    virtual EmbeddingNames embeddingNames() const = 0;
    /// Id of the word whose look-ups leave no gradient, as in Hugging Face's embeddings; -1: none.
    virtual std::int64_t paddingWord() const = 0;
    virtual LayerNames layerNames(int layer) const = 0;
    virtual HeadNames headNames() const = 0;
    /// Initial deviation of the two products of a layer that end in a residual sum.
    virtual double residualDeviationScale(const ModelSpec& model) const = 0;
    /// The head's own parameters, without those of HeadNames.
    virtual void addHead(ParameterList& list, const ModelSpec& model) const = 0;
};

const ModelFamilyTraits& familyOf(const ModelSpec& model);

const ModelFamilyTraits& bertFamily();
const ModelFamilyTraits& gptFamily();

} // namespace trainyard
