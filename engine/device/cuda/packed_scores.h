#pragma once

#include <initializer_list>

#include "engine/device/cuda/scores_launch.h"

namespace trainyard {

// launchProbabilities() and launchScoreGradient() for numbers of 16 bits, with packs of eight that begin
// where groups of dropout do: a row stays in registers, and memory sees each number once.

/// Whether rows of this shape have such kernels: of up to 1,024 keys, a multiple of the group's size.
template <typename T>
bool hasPackedScores(const ScoreShape& shape, const ScoreBias<T>& bias,
                     std::initializer_list<const T*> tensors);

template <typename T>
cudaError_t launchPackedProbabilities(const T* scores, const ScoreShape& shape, float scale,
                                      const ScoreBias<T>& bias, const std::uint64_t* samples,
                                      const DropoutRates& dropout, T* probabilities, float* logSums,
                                      cudaStream_t stream);

template <typename T>
cudaError_t launchPackedScoreGradient(const T* gradient, const T* scores, const ScoreShape& shape,
                                      float scale, const ScoreBias<T>& bias, const std::uint64_t* samples,
                                      const DropoutRates& dropout, const float* logSums, T* scoreGradient,
                                      cudaStream_t stream);

} // namespace trainyard
