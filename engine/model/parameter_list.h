#pragma once

#include <string>
#include <vector>

#include "engine/model/parameter_spec.h"
#include "engine/spec/run_spec.h"

namespace trainyard {

/// How tensor parallelism cuts a product y = x W^T + b (Shoeybi et al., arXiv:1909.08053).
enum class LinearSplit {
    None,
    Column, ///< outputs are cut: weight in dimension 0, and the bias
    Row,    ///< inputs are cut: weight in dimension 1; the bias is whole
};

/// Collects a model's parameters in the order of the forward pass.
class ParameterList {
public:
    /// Parameters added from now on belong to this part (ParameterSpec::part).
    void beginPart(int part) { m_part = part; }

    void matrix(const std::string& name, std::vector<std::int64_t> shape, TensorSplit split = {},
                double deviationScale = 1.0);
    /// Matrices [out, in] of `experts` behind each other, in one tensor; `split`: of each expert's, whose
    /// rows are `blocks` equal ones.
    void expertMatrices(const std::string& name, std::int64_t experts, std::int64_t out, std::int64_t in,
                        LinearSplit split, int blocks, double deviationScale = 1.0);
    void bias(const std::string& name, std::int64_t width, TensorSplit split = {});
    /// "<name>.weight" [out, in] and perhaps "<name>.bias" [out].
    void linear(const std::string& name, std::int64_t out, std::int64_t in,
                LinearSplit split = LinearSplit::None, double deviationScale = 1.0, bool hasBias = true);
    /// Weight and perhaps bias of a norm of the model's kind.
    void norm(const std::string& name, std::int64_t width, const ModelSpec& model, TensorSplit split = {});
    /// The same of a norm that each tensor-parallel rank uses for its own share (ParameterSpec::isPartial).
    void partialNorm(const std::string& name, std::int64_t width, const ModelSpec& model);
    /// Tensors of a low-rank adapter of the product [out, in] (model/adapter_names.h). `blocks`: see
    /// TensorSplit.
    void adapter(const std::string& product, std::int64_t rank, std::int64_t out, std::int64_t in,
                 LinearSplit split, int blocks = 1);
    void stackOnPrevious() { m_specs.back().stackedOnPrevious = true; }

    std::vector<ParameterSpec> take() { return std::move(m_specs); }

private:
    void add(const std::string& name, std::vector<std::int64_t> shape, Initialization initialization,
             TensorSplit split);

    int m_part = kEmbeddingsPart;
    std::vector<ParameterSpec> m_specs;
};

} // namespace trainyard
