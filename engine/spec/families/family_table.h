#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "engine/spec/families/config_keys.h"
#include "engine/spec/run_spec.h"

namespace trainyard {

/// Names of a family's tensors, Hugging Face's where it has the tensor. Products and norms stand without
/// ".weight" and ".bias"; those of a layer begin with "<layers>.<number>.". Empty: no model of the family has
/// such a tensor.
struct FamilyNames {
    std::string_view words{}; ///< with ".weight", as are the next two
    std::string_view positions{};
    std::string_view tokenTypes{};
    std::string_view embeddingNorm{};

    std::string_view layers{};
    std::string_view query{}; ///< without a key of all three, one behind the other
    std::string_view key{};
    std::string_view value{};
    /// Of one tensor of all three: the rows of a head's query, key and value stand together.
    bool isHeadByHead = false;
    std::string_view queryNorm{};
    std::string_view keyNorm{};
    std::string_view attentionOutput{};
    std::string_view attentionNorm{};
    std::string_view attentionOutputNorm{}; ///< the second one of NormPlacement::Both
    std::string_view gate{};                ///< empty: `in` has its rows before its own
    std::string_view in{};
    std::string_view out{};
    std::string_view router{};
    std::string_view expertsIn{};  ///< the whole name, as is the next one: all experts in one tensor
    std::string_view expertsOut{}; ///< the gate's rows of each expert before the others
    std::string_view feedForwardNorm{};
    std::string_view feedForwardOutputNorm{};

    std::string_view finalNorm{};
    std::string_view decoder{};   ///< with ".weight"
    std::string_view transform{}; ///< encoders: product and norm before the decoder
    std::string_view transformNorm{};
    std::string_view decoderBias{}; ///< the whole name
};

/// Of the heads that encoders have for tasks (TaskSpec), Hugging Face's. Products stand without ".weight" and
/// ".bias".
struct TaskHeadTable {
    /// Product and tanh of a row's first token, for its class or number. Empty: the heads of all tasks begin
    /// with FamilyNames::transform and its norm, as that of masked words does.
    std::string_view pooler{};
    bool dropsFirstToken = false; ///< before the pooler, as before the last product
    std::string_view sequences{}; ///< last product, for the class or number of a row
    std::string_view tokens{};    ///< for the class of each token; empty: the family has no heads for tasks
    std::string_view answers{};   ///< for the first and last token of an answer
};

/// Names in files that have each expert by itself, as they were before transformers 5:
/// "<layers>.<number>.<router>",
/// "<layers>.<number>.<experts>.<number>.<gate>"; without ".weight". Empty: no files of the family have.
struct ExpertTensorNames {
    std::string_view router{};
    std::string_view experts{};
    std::string_view gate{};
    std::string_view in{};
    std::string_view out{};
};

/// How Hugging Face calls and describes a model of the family.
struct HuggingFaceTable {
    std::string_view modelType{}; ///< of config.json; empty: engine/checkpoint/hugging_face has its own class
    std::string_view className{}; ///< "LlamaForCausalLM"; of a task "RobertaForTokenClassification" etc.
    std::string_view prefix{};    ///< of all names but the head's; files of the bare model lack it
    std::string_view oldDecoder{}; ///< what published files call FamilyNames::decoder
    ExpertTensorNames separateExperts{};
    std::span<const ConfigKey> keys{};
    /// What keys cannot say. BadInput naming the key for what this engine would compute differently.
    Status (*read)(const ConfigJson& config, ModelSpec& model) = nullptr;
    void (*write)(ConfigJson& config, const ModelSpec& model) = nullptr;
    bool lossInFloat32 = true; ///< the class computes its loss so, whatever the type of the model
};

/// A family of models: what its name decides. A new one is a file in this folder, an enumerator with its name
/// and a line in families.cpp.
struct FamilyTable {
    bool isDecoder = false;
    /// Products that scale the initial deviation of residual branches as GPT-2 does.
    bool scalesResiduals = false;
    void (*describe)(ModelSpec& model) = nullptr; ///< of defaults that are BERT's
    std::vector<std::string_view> loraTargets{};  ///< PEFT's defaults
    FamilyNames names{};
    TaskHeadTable taskHeads{};
    HuggingFaceTable huggingFace{};
};

const FamilyTable& familyTable(ModelFamily family);
/// In the order of the enumeration.
std::span<const FamilyTable* const> familyTables();

const FamilyTable& bertTable();
const FamilyTable& gptTable();
const FamilyTable& llamaTable();
const FamilyTable& mistralTable();
const FamilyTable& qwen2Table();
const FamilyTable& qwen3Table();
const FamilyTable& olmo2Table();
const FamilyTable& gptNeoxTable();
const FamilyTable& gemma2Table();
const FamilyTable& robertaTable();
const FamilyTable& modernBertTable();
const FamilyTable& mixtralTable();
const FamilyTable& qwen3MoeTable();

} // namespace trainyard
