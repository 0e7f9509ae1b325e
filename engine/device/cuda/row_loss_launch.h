#pragma once

#include <cstdint>

#include <cuda_runtime_api.h>

#include "engine/device/cuda/number.h"

namespace trainyard {

// Cross entropy of rows of logits [rows, columns] against targets [rows]; row i begins at i * pitch. As in
// engine/nn/fused/row_loss_kernel.h: in Wide<T>, without a copy of the logits. The loss of a row whose target
// is no column is not a number, and so is its gradient. T is double, float, BFloat16 or Float16.

/// 1 read. `logSums` [rows]; `scratch`: a number for each row; `sum`: of all rows' losses.
template <typename T>
cudaError_t launchRowLosses(const T* logits, const std::int64_t* targets, std::int64_t rows,
                            std::int64_t columns, std::int64_t pitch, Wide<T>* logSums, double* scratch,
                            double* sum, cudaStream_t stream);

/// scale * upstream[0] times the gradient of the sum. 1 read, 1 write; `gradient` has the same pitch, and may
/// be `logits`. `upstream` is in device memory, so that the host does not wait for it.
template <typename T>
cudaError_t launchRowLossGradient(const T* logits, const std::int64_t* targets, const Wide<T>* logSums,
                                  const Wide<T>* upstream, double scale, std::int64_t rows,
                                  std::int64_t columns, std::int64_t pitch, T* gradient, cudaStream_t stream);

} // namespace trainyard
