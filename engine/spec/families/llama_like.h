#pragma once

#include "engine/spec/families/family_table.h"

namespace trainyard {

// What the decoders since Llama share.

/// Root mean squares before each branch, rotary positions, a gated feed-forward layer, no biases, untied.
void describeLlamaLike(ModelSpec& model);
FamilyNames llamaNames();
/// Tables of the class `className`, read by `read` and written by `write`.
HuggingFaceTable llamaLike(std::string_view modelType, std::string_view className,
                           Status (*read)(const ConfigJson&, ModelSpec&),
                           void (*write)(ConfigJson&, const ModelSpec&));
/// hidden_act, rms_norm_eps, tie_word_embeddings, the rotary positions.
Status readLlamaLike(const ConfigJson& config, ModelSpec& model);
void writeLlamaLike(ConfigJson& config, const ModelSpec& model);

/// attention_bias: of all four products.
void readAttentionBias(const ConfigJson& config, ModelSpec& model);

/// use_sliding_window, sliding_window and max_window_layers or layer_types, as Qwen's configurations have
/// them.
Status readOptionalWindow(const ConfigJson& config, ModelSpec& model);
void writeOptionalWindow(ConfigJson& config, const ModelSpec& model);

} // namespace trainyard
