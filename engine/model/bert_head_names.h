#pragma once

#include "engine/spec/run_spec.h"

namespace trainyard::bert_head {

// Tensors of BERT's heads, of pre-training and of tasks, as Hugging Face names them. Products and norms stand
// without ".weight" and ".bias".

inline constexpr const char* kPooler = "bert.pooler.dense";
inline constexpr const char* kTransform = "cls.predictions.transform.dense";
inline constexpr const char* kTransformNorm = "cls.predictions.transform.LayerNorm";
inline constexpr const char* kDecoderBias = "cls.predictions.bias";
inline constexpr const char* kNextSentence = "cls.seq_relationship";
inline constexpr const char* kClassifier = "classifier";
inline constexpr const char* kAnswer = "qa_outputs";

/// The last product of a task's head.
constexpr const char* taskOutput(const TaskSpec& task)
{
    return task.kind == TaskKind::Answer ? kAnswer : kClassifier;
}

} // namespace trainyard::bert_head
