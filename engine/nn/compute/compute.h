#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include <torch/types.h>

#include "engine/nn/dropout_mask.h"
#include "engine/spec/run_spec.h"

namespace trainyard {

struct GradientPlace;

/// What takes the result of a product.
enum class NextPass : std::uint8_t { Norm, Activation, Other };

/// s = input + bias + residual [T, N], of which the latter two may be undefined.
struct NormInput {
    at::Tensor input;
    at::Tensor bias;     ///< [N]
    at::Tensor residual; ///< [T, N]
};

/// Symbols: m and d are mean and 1 / sqrt(var + epsilon) of a row of s, h = (s - m) d.
struct NormForward {
    at::Tensor output;
    at::Tensor sum;     ///< s, in the type of the activations; the input itself when nothing is added
    at::Tensor mean_T;  ///< m, [T] or [T, 1], in float32 (float64) where the device keeps it so
    at::Tensor scale_T; ///< d, likewise
    at::Tensor mask{};  ///< of what was dropped; undefined where the backward pass draws it again
};

struct NormBackwardInput {
    at::Tensor gradient; ///< dy
    at::Tensor sum;
    at::Tensor mean_T;
    at::Tensor scale_T;
    at::Tensor weight;
    bool ofWeights = true; ///< whether the gradients of weight and shift are needed
    bool ofBias = true;    ///< whether that of the bias is
};

/// What a device keeps of a pass to know which elements it drops, where its kernels draw as they go;
/// undefined where they do not.
struct DropoutPlaces {
    at::Tensor tokens;    ///< of each of this rank's tokens its sample and its position in that
    at::Tensor sequences; ///< of each sequence its sample
};

/// Dropout of rows in front of a norm.
struct RowDropout {
    std::vector<DropoutPart> rows; ///< runs of them: sample, first position, count
    at::Tensor places;             ///< DropoutPlaces::tokens
    DropoutRates rates;
};

/// What it takes to drop the same in the backward pass: the mask, or the places.
struct KeptDropout {
    at::Tensor mask;
    at::Tensor places;
    DropoutRates rates;
};

/// With p = weight * dy:  ds = d (p - mean(p) - h mean(p h)). The last three are sums over rows, [N] in
/// float32 (float64); undefined where they are not needed, but need not be.
struct NormGradients {
    at::Tensor sum;     ///< ds
    at::Tensor weight;  ///< of dy h
    at::Tensor shift;   ///< of dy
    at::Tensor bias;    ///< of ds, or of what the dropout leaves of it
    at::Tensor input{}; ///< what the dropout leaves of ds; undefined where nothing is dropped
};

struct ActivationGradients {
    at::Tensor input; ///< in the type of the activations
    at::Tensor bias;  ///< [N] in float32 (float64); undefined without a bias
};

/// What is dropped of a tensor: see DropoutMasks::fill().
struct DropoutDraw {
    std::span<const DropoutPart> parts;
    DropoutRates rates;
};

struct Dropped {
    at::Tensor values;
    at::Tensor mask; ///< one byte per element
};

/// B sequences of S tokens, T = B S; A heads of width D.
struct HeadShape {
    std::int64_t sequences = 0;
    std::int64_t heads = 0;
    std::int64_t length = 0;
    std::int64_t width = 0;

    static HeadShape of(const at::Tensor& heads_BASD)
    {
        return {heads_BASD.size(0), heads_BASD.size(1), heads_BASD.size(2), heads_BASD.size(3)};
    }
    std::int64_t tokens() const { return sequences * length; }
};

/// Queries, keys and values, each [B, A, S, D].
using HeadTensors = std::array<at::Tensor, 3>;

/// Dropout of attention's probabilities [B, A, Q, K]: (head, query, key) is element
/// ((firstHead + head) * length + query) * length + key of the sequence's sample.
struct ScoreDropout {
    std::vector<std::uint64_t> samples; ///< [B]
    at::Tensor places;                  ///< of these sequences in DropoutPlaces::sequences
    std::int64_t length = 0;            ///< of the longest sequence of the batch
    std::int64_t firstHead = 0;
    DropoutRates rates; ///< dropBelow 0: nothing is dropped
};

/// What is added to scores, and what they are dropped by.
struct ScoreInput {
    at::Tensor bias;       ///< broadcasts to the scores; undefined: nothing
    bool isCausal = false; ///< the bias says nothing but that no query sees a later key
    ScoreDropout dropout;
};

struct Probabilities {
    at::Tensor values;  ///< dropout(p)
    at::Tensor kept;    ///< for the backward pass: p, or the scores
    at::Tensor logSums; ///< log(sum_k e^(z_k + bias_k)) of each row with the scores, else undefined
    at::Tensor mask;    ///< undefined where nothing is dropped, or the backward pass draws it again
};

/// Attention over tokens, and what its backward pass needs.
struct TokenAttention {
    at::Tensor context_TH;
    at::Tensor logSums; ///< one number for each query of each head
    at::Tensor kept;    ///< which probabilities dropout left; undefined where nothing is dropped
};

struct RowLosses {
    at::Tensor sum;       ///< of the losses of all rows, a scalar in float32 (float64)
    at::Tensor logSums_M; ///< log(sum_j e^z_j), in the same type
};

/// The arithmetic of a device: what the functions of this folder do one way on a processor and another way
/// elsewhere. They know autograd, and a Compute does not: it is given tensors of its device, and gives such.
/// All are contiguous unless said otherwise. Stateless: any thread may use it, and it lives as long as the
/// process. An operation that a device queues is done for whatever the calling thread gives it afterwards;
/// none waits for it.
class Compute {
public:
    virtual ~Compute() = default;

    // Products of matrices, and the sums that are the gradients of weights.

    /// Whether a product adds its bias on the way. Where not, the bias is left to the next pass over it.
    virtual bool addsBias(NextPass next) const = 0;
    /// input [T, K] times the transpose of weight [N, K], plus bias [N] or nothing. Rows of the result may
    /// lie apart where the device multiplies faster so. Without an override: ATen's, contiguous.
    virtual at::Tensor affine(const at::Tensor& input, const at::Tensor& weight,
                              const at::Tensor& bias) const;
    /// A gradient [T, N] as products, sums and losses take it: contiguous, or with the rows apart that
    /// affine() makes.
    virtual at::Tensor asOperand(const at::Tensor& gradient) const;
    /// left [T, K] times right [K, N].
    virtual at::Tensor product(const at::Tensor& left, const at::Tensor& right) const = 0;
    /// left [N, T], perhaps a transposed view, times right [T, K] into the place. Summed in its type.
    virtual void putProduct(const GradientPlace& place, const at::Tensor& left,
                            const at::Tensor& right) const = 0;
    /// Row i of `rows` [T, H], of any strides, is added to row ids[i] of the place, unless ids[i] is
    /// `padding`. Summed in the place's type.
    virtual void putRows(const GradientPlace& place, const at::Tensor& rows_TH, const at::Tensor& ids_T,
                         std::int64_t padding) const = 0;
    /// Sums over the rows of values [T, N], of any strides, in float32 (float64): the gradient of a bias.
    virtual at::Tensor columnSums(const at::Tensor& values) const = 0;

    // Layer norm of a sum, see addNorm().

    virtual NormForward normForward(const NormInput& input, const at::Tensor& weight, const at::Tensor& shift,
                                    double epsilon) const = 0;
    virtual NormGradients normBackward(const NormBackwardInput& input) const = 0;

    // The same of s = dropout(input + bias) + residual. Without an override: drop() and the above.

    virtual NormForward dropNormForward(const NormInput& input, const RowDropout& dropout,
                                        const at::Tensor& weight, const at::Tensor& shift,
                                        double epsilon) const;
    virtual NormGradients dropNormBackward(const NormBackwardInput& input, const KeptDropout& dropout) const;

    // y = f(x + b) with x [T, N] and b [N] or undefined. Of a gated activation f is the gate's function.

    virtual at::Tensor activationForward(const at::Tensor& input, const at::Tensor& bias,
                                         Activation activation) const = 0;
    virtual ActivationGradients activationBackward(const at::Tensor& gradient, const at::Tensor& input,
                                                   const at::Tensor& bias, Activation activation) const = 0;

    // Dropout, the same elements on every device.

    /// For a pass over these tokens, runs of them as in RowDropout, and sequences. Once for all its layers.
    virtual DropoutPlaces placesOf(std::span<const DropoutPart> rows, std::span<const std::uint64_t> samples,
                                   const c10::Device& device) const;

    virtual Dropped drop(const at::Tensor& input, const DropoutDraw& draw) const = 0;
    /// gradient, of any strides, * mask * scale.
    virtual at::Tensor dropAgain(const at::Tensor& gradient, const at::Tensor& mask, double scale) const = 0;

    // Attention.

    /// Whether attention that drops nothing is one kernel, which keeps no scores (Dao et al.,
    /// arXiv:2205.14135) and scales the queries itself.
    virtual bool fusesAttention() const = 0;
    /// Of [T, 3 A D]: the queries times `scale`. What is not scaled may be views.
    virtual HeadTensors splitHeads(const at::Tensor& queryKeyValue, const HeadShape& shape,
                                   double scale) const = 0;
    /// The gradient of splitHeads() from those of its results, of any strides.
    virtual at::Tensor joinHeads(const HeadTensors& gradients, double scale) const = 0;
    /// [B, A, S, D], of any strides, as [T, A D], perhaps a view; and back.
    virtual at::Tensor mergeHeads(const at::Tensor& context_BASD) const = 0;
    virtual at::Tensor unmergeHeads(const at::Tensor& context_TH, const HeadShape& shape) const = 0;

    // Attention over tokens as one operation that keeps no scores, also where it drops: context = y v with
    // y = dropout(softmax(scale q k^T + bias)). Without an override: none.

    /// Whether there is one for such heads.
    virtual bool attends(const at::Tensor& queryKeyValue, const HeadShape& shape,
                         const ScoreInput& input) const;
    virtual TokenAttention attend(const at::Tensor& queryKeyValue, const HeadShape& shape, double scale,
                                  const ScoreInput& input) const;
    /// Of the queries, keys and values [T, 3 A D]; `input` without the samples' numbers.
    virtual at::Tensor attendGradient(const at::Tensor& gradient_TH, const at::Tensor& queryKeyValue,
                                      const TokenAttention& forward, const HeadShape& shape, double scale,
                                      const ScoreInput& input) const;

    // p = softmax(z + bias) of scores z [B, A, Q, K] over the keys, y = dropout(p). Without an override:
    // ATen's softmax and drop().

    /// May overwrite the scores.
    virtual Probabilities probabilities(const at::Tensor& scores_BAQK, const ScoreInput& input) const;
    /// dz of dy, both [B, A, Q, K].
    virtual at::Tensor probabilitiesGradient(const at::Tensor& gradient_BAQK, const Probabilities& forward,
                                             const ScoreInput& input) const;

    // Cross entropy of rows z of logits [M, C], as asOperand() gives them, against targets t [M], in float32
    // at least:
    //     loss = log(sum_j e^z_j) - z_t,   its gradient = softmax(z) - onehot(t)

    virtual RowLosses rowLosses(const at::Tensor& logits_MC, const at::Tensor& targets_M) const = 0;
    /// `scale`, a scalar tensor, times the gradient of the sum, in the type of the logits.
    virtual at::Tensor rowLossGradient(const at::Tensor& logits_MC, const at::Tensor& targets_M,
                                       const at::Tensor& logSums_M, const at::Tensor& scale) const = 0;
};

/// Of processors: the kernels of engine/nn/fused.
const Compute& processorCompute();

} // namespace trainyard
