#pragma once

namespace trainyard::bert_head {

// Tensors of BERT's head of next sentences as Hugging Face names them, without ".weight" and ".bias".

inline constexpr const char* kPooler = "bert.pooler.dense";
inline constexpr const char* kNextSentence = "cls.seq_relationship";

} // namespace trainyard::bert_head
