#pragma once

namespace trainyard::bert_head {

// Tensors of BERT's pre-training heads, as Hugging Face names them. Products and norms stand without
// ".weight" and ".bias".

inline constexpr const char* kPooler = "bert.pooler.dense";
inline constexpr const char* kTransform = "cls.predictions.transform.dense";
inline constexpr const char* kTransformNorm = "cls.predictions.transform.LayerNorm";
inline constexpr const char* kDecoderBias = "cls.predictions.bias";
inline constexpr const char* kNextSentence = "cls.seq_relationship";

} // namespace trainyard::bert_head
