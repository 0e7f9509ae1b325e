#pragma once

#include "engine/spec/run_spec.h"

namespace trainyard::bert_head {

// Tensors of BERT's heads that its family's table lacks, of pre-training and of tasks, as Hugging Face names
// them. Products stand without ".weight" and ".bias".

inline constexpr const char* kPooler = "bert.pooler.dense";
inline constexpr const char* kNextSentence = "cls.seq_relationship";
inline constexpr const char* kClassifier = "classifier";
inline constexpr const char* kAnswer = "qa_outputs";

/// The last product of a task's head.
constexpr const char* taskOutput(const TaskSpec& task)
{
    return task.kind == TaskKind::Answer ? kAnswer : kClassifier;
}

} // namespace trainyard::bert_head
