#include "engine/nn/rotary.h"

#include <algorithm>
#include <cmath>
#include <numbers>

#include <ATen/ops/cat.h>
#include <ATen/ops/tensor.h>

#include "engine/base/check.h"

namespace trainyard {

namespace {

double originalPositions(const ModelSpec& model)
{
    return model.rope.originalPositions > 0 ? model.rope.originalPositions : model.maxPositions;
}

// Slow turns are divided by the factor, fast ones are not, and those between are in part.
double llama3Frequency(double frequency, const ModelSpec& model)
{
    const RopeSpec& rope = model.rope;
    const double rounds = originalPositions(model) * frequency / (2 * std::numbers::pi);
    const double share =
        (rounds - rope.lowFrequencyFactor) / (rope.highFrequencyFactor - rope.lowFrequencyFactor);
    const double kept = std::clamp(share, 0.0, 1.0);
    return (1 - kept) * frequency / rope.factor + kept * frequency;
}

/// The pair that turns so many rounds over the original positions (section 3.2 of the paper).
double pairOfRounds(double rounds, const ModelSpec& model, double base)
{
    return turnedWidth(model) * std::log(originalPositions(model) / (rounds * 2 * std::numbers::pi)) /
           (2 * std::log(base));
}

double yarnFrequency(double frequency, double pair, const ModelSpec& model, double base)
{
    const RopeSpec& rope = model.rope;
    const double low = std::max(0.0, std::floor(pairOfRounds(rope.betaFast, model, base)));
    const double high =
        std::min(turnedWidth(model) - 1.0, std::ceil(pairOfRounds(rope.betaSlow, model, base)));
    const double width = high == low ? 0.001 : high - low;
    const double divided = std::clamp((pair - low) / width, 0.0, 1.0);
    return divided * frequency / rope.factor + (1 - divided) * frequency;
}

double scaled(double frequency, std::size_t pair, const ModelSpec& model, double base)
{
    switch (model.rope.scaling) {
    case RopeScaling::None:
        return frequency;
    case RopeScaling::Linear:
        return frequency / model.rope.factor;
    case RopeScaling::Llama3:
        return llama3Frequency(frequency, model);
    case RopeScaling::Yarn:
        return yarnFrequency(frequency, static_cast<double>(pair), model, base);
    }
    return frequency;
}

// Section 3.4 of YaRN: scores of longer sequences are sharpened.
double attentionFactor(const RopeSpec& rope)
{
    if (rope.scaling != RopeScaling::Yarn)
        return 1;
    if (rope.attentionFactor > 0)
        return rope.attentionFactor;
    return rope.factor <= 1 ? 1 : 0.1 * std::log(rope.factor) + 1;
}

} // namespace

int turnedWidth(const ModelSpec& model)
{
    return static_cast<int>(model.headSize() * model.rope.share);
}

std::vector<double> ropeFrequencies(const ModelSpec& model, double base)
{
    const int width = turnedWidth(model);
    TRAINYARD_CHECK(width > 0 && width % 2 == 0);
    std::vector<double> frequencies(static_cast<std::size_t>(width / 2));
    for (std::size_t pair = 0; pair < frequencies.size(); ++pair) {
        const double exponent = -2.0 * std::log(base) / width;
        frequencies[pair] = scaled(std::exp(static_cast<double>(pair) * exponent), pair, model, base);
    }
    return frequencies;
}

RotaryTables::RotaryTables(const at::Tensor& positions, const ModelSpec& model, bool windowed,
                           at::ScalarType type)
{
    const RopeSpec& rope = model.rope;
    const double base = windowed && rope.windowBase > 0 ? rope.windowBase : rope.base;
    const at::Tensor frequencies =
        at::tensor(ropeFrequencies(model, base), at::kDouble).to(positions.device());
    const at::Tensor half = positions.to(at::kDouble).unsqueeze(-1) * frequencies;
    const std::int64_t sequences = positions.dim() == 2 ? positions.size(0) : 1;
    const at::Tensor angles =
        at::cat({half, half}, -1).view({sequences, 1, positions.size(-1), turnedWidth(model)});
    const double factor = attentionFactor(rope);
    // The angles of positions in the thousands are of no use in 16 bits.
    const at::ScalarType kept = type == at::kDouble ? at::kDouble : at::kFloat;
    m_cosine = (angles.cos() * factor).to(kept);
    m_sine = (angles.sin() * factor).to(kept);
}

at::Tensor RotaryTables::turn(const at::Tensor& x_BALD, std::int64_t first) const
{
    const std::int64_t length = x_BALD.size(2);
    const std::int64_t width = m_cosine.size(-1);
    const at::Tensor x = x_BALD.narrow(-1, 0, width).to(m_cosine.scalar_type());
    const auto halves = x.chunk(2, -1);
    const at::Tensor turned = (x * m_cosine.narrow(2, first, length) +
                               at::cat({-halves[1], halves[0]}, -1) * m_sine.narrow(2, first, length))
                                  .to(x_BALD.scalar_type());
    if (width == x_BALD.size(-1))
        return turned;
    return at::cat({turned, x_BALD.narrow(-1, width, x_BALD.size(-1) - width)}, -1);
}

} // namespace trainyard
