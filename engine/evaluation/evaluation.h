#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "engine/base/result.h"
#include "engine/checkpoint/weights/find_weights.h"
#include "engine/nn/device.h"
#include "engine/spec/run_spec.h"

namespace trainyard {

/// Steps on the same inputs again and again at optimizer.learningRate (no schedule, no dropout), to compare
/// the series with another program's.
struct EvalTraining {
    OptimizerSpec optimizer;
    int steps = 20;
};

/// `trainyard-worker eval --inputs`.
struct EvalOptions {
    std::filesystem::path model;  ///< see StoredModel::open()
    CheckpointWish checkpoint{};  ///< which one of it
    std::filesystem::path inputs; ///< see readEvalInputs()
    /// safetensors: loss; mlm_logits_at_masked [M, V] and nsp_logits [B, 2], or a decoder's logits [B, S, V];
    /// of a task logits [B, labels], a tagger's [B, S, labels], or start_logits and end_logits [B, S];
    /// grad.<Hugging Face name> in Hugging Face's layout. In the compute type (gradients in the master type,
    /// a decoder's loss in float32).
    std::optional<std::filesystem::path> out{};
    ComputeType precision = ComputeType::Float32;
    std::optional<EvalTraining> training{};
    /// A specification whose layout and memory settings are used, with ranks as threads of this process; for
    /// `out` only. The loss is then the engine's own, not rounded to float32 first.
    std::optional<RunSpec> layout{};
    /// Whose arithmetic it is; its memory is the host's.
    Device device{};
};

struct TrainingSeries {
    std::vector<double> losses;        ///< before each step
    std::vector<double> gradientNorms; ///< before clipping
    std::string toTable() const;       ///< "step  loss  gradient norm", one line per step
    std::string toJson() const;        ///< {"losses":[...],"grad_norms":[...]}
};

/// Loss (mean over masked or next tokens + mean over sequences), logits and gradients of the stored model
/// go to `options.out`; the series is that of `options.training`, empty without it.
Result<TrainingSeries> runEval(const EvalOptions& options);

} // namespace trainyard
