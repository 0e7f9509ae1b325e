#pragma once

#include <array>
#include <string>

#include "engine/spec/run_spec.h"

namespace trainyard {

// Names of a model's tensors, from the table of its family (engine/spec/families). Products and norms stand
// without ".weight" and ".bias".

struct EmbeddingNames {
    std::string words;
    std::string positions;
    std::string tokenTypes;
    std::string norm;
};

/// Norms around the products of a branch; empty: there is none.
struct BranchNorms {
    std::string before;
    std::string behind; ///< of the output, or of the sum with the residual
};

struct LayerNames {
    /// Query, key and value: three tensors that lie behind each other, or one of three blocks with the last
    /// two names empty.
    std::array<std::string, 3> queryKeyValue;
    std::string queryNorm;
    std::string keyNorm;
    std::string attentionOutput;
    BranchNorms attentionNorms;
    std::string feedForwardGate; ///< empty where one tensor has its rows and those of the next one
    std::string feedForwardIn;
    std::string feedForwardOut;
    std::string router; ///< layers with experts only, as are the next two, which are whole names
    std::string expertsIn;
    std::string expertsOut;
    BranchNorms feedForwardNorms;
};

struct HeadNames {
    std::string finalNorm;
    std::string decoder;   ///< untied head only; a weight without bias
    std::string transform; ///< encoders only, as are the next two
    std::string transformNorm;
    std::string decoderBias; ///< the whole name
};

/// Of a task's head.
struct TaskHeadNames {
    std::string pooler;        ///< of the first token; empty where none is pooled
    std::string transform;     ///< and its norm, where there is no pooler; empty in a family with poolers
    std::string transformNorm; ///< likewise
    std::string output;        ///< the last product

    /// What no pre-trained model brings along: the module with the last product, "classifier".
    std::string ownModule() const { return output.substr(0, output.find('.')); }
};

EmbeddingNames embeddingNames(const ModelSpec& model);
LayerNames layerNames(const ModelSpec& model, int layer);
HeadNames headNames(const ModelSpec& model);
/// Requires a task with a head.
TaskHeadNames taskHeadNames(const ModelSpec& model);

/// Of one tensor of query, key and value: the rows of each head's three stand together.
bool areHeadByHead(const ModelSpec& model);

/// Initial deviation of the two products of a layer that end in a residual sum: 1, or with a family that does
/// as GPT-2 1 / sqrt(number of residual sums).
double residualDeviationScale(const ModelSpec& model);

} // namespace trainyard
