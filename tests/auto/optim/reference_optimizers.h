#pragma once

#include <cmath>
#include <cstddef>
#include <vector>

#include "engine/spec/run_spec.h"

namespace trainyard {

/// One tensor and its moments in float64, updated element by element as the papers write it. What the
/// optimizers are compared with.
struct ReferenceTensor {
    std::vector<double> weight;
    std::vector<double> average;
    std::vector<double> squareAverage;
    bool decays = true;

    explicit ReferenceTensor(std::vector<double> w, bool decaying)
        : weight(std::move(w)), average(weight.size()), squareAverage(weight.size()), decays(decaying)
    {
    }

    // m_hat / (sqrt(v_hat) + epsilon)
    std::vector<double> adamDirection(const OptimizerSpec& spec, const std::vector<double>& gradient, int t)
    {
        std::vector<double> direction;
        for (std::size_t i = 0; i < weight.size(); ++i) {
            average[i] = spec.beta1 * average[i] + (1 - spec.beta1) * gradient[i];
            squareAverage[i] = spec.beta2 * squareAverage[i] + (1 - spec.beta2) * gradient[i] * gradient[i];
            const double m = average[i] / (1 - std::pow(spec.beta1, t));
            const double v = squareAverage[i] / (1 - std::pow(spec.beta2, t));
            direction.push_back(m / (std::sqrt(v) + spec.epsilon));
        }
        return direction;
    }

    void adamW(const OptimizerSpec& spec, const std::vector<double>& gradient, double rate, int t)
    {
        const std::vector<double> direction = adamDirection(spec, gradient, t);
        for (std::size_t i = 0; i < weight.size(); ++i)
            weight[i] += -rate * (decays ? spec.weightDecay : 0) * weight[i] - rate * direction[i];
    }

    /// NVIDIA's variant, or with `everyTensor` the paper's.
    void lamb(const OptimizerSpec& spec, const std::vector<double>& gradient, double rate, int t,
              bool everyTensor)
    {
        std::vector<double> update = adamDirection(spec, gradient, t);
        double weightNorm = 0;
        double updateNorm = 0;
        for (std::size_t i = 0; i < weight.size(); ++i) {
            update[i] += (decays ? spec.weightDecay : 0) * weight[i];
            weightNorm = std::hypot(weightNorm, weight[i]);
            updateNorm = std::hypot(updateNorm, update[i]);
        }
        const bool adapts = everyTensor || (decays && spec.weightDecay != 0);
        const bool scaled = adapts && weightNorm > 0 && updateNorm > 0;
        for (std::size_t i = 0; i < weight.size(); ++i)
            weight[i] -= rate * (scaled ? weightNorm / updateNorm : 1.0) * update[i];
    }

    // Algorithm 2 of the paper, line by line.
    void lans(const OptimizerSpec& spec, std::vector<double> gradient, double rate, int t)
    {
        const double gradientNorm = normOf(gradient);
        for (double& g : gradient)
            g /= gradientNorm;
        std::vector<double> r = adamDirection(spec, gradient, t);
        std::vector<double> c;
        for (std::size_t i = 0; i < weight.size(); ++i) {
            const double decay = (decays ? spec.weightDecay : 0) * weight[i];
            const double v = squareAverage[i] / (1 - std::pow(spec.beta2, t));
            r[i] += decay;
            c.push_back(gradient[i] / (std::sqrt(v) + spec.epsilon) + decay);
        }
        const double weightNorm = normOf(weight);
        const double ofMomentum = weightNorm > 0 ? weightNorm / normOf(r) : 1;
        const double ofGradient = weightNorm > 0 ? weightNorm / normOf(c) : 1;
        for (std::size_t i = 0; i < weight.size(); ++i)
            weight[i] -= rate * (spec.beta1 * ofMomentum * r[i] + (1 - spec.beta1) * ofGradient * c[i]);
    }

    // `average` is the momentum buffer.
    void sgd(const OptimizerSpec& spec, const std::vector<double>& gradient, double rate)
    {
        for (std::size_t i = 0; i < weight.size(); ++i) {
            average[i] =
                spec.momentum * average[i] + gradient[i] + (decays ? spec.weightDecay : 0) * weight[i];
            weight[i] -= rate * average[i];
        }
    }

    void step(const OptimizerSpec& spec, const std::vector<double>& gradient, double rate, int t)
    {
        switch (spec.kind) {
        case OptimizerKind::AdamW:
            return adamW(spec, gradient, rate, t);
        case OptimizerKind::Lamb:
            return lamb(spec, gradient, rate, t, false);
        case OptimizerKind::LambPaper:
            return lamb(spec, gradient, rate, t, true);
        case OptimizerKind::Lans:
            return lans(spec, gradient, rate, t);
        case OptimizerKind::Sgd:
            return sgd(spec, gradient, rate);
        }
    }

private:
    static double normOf(const std::vector<double>& values)
    {
        double norm = 0;
        for (const double value : values)
            norm = std::hypot(norm, value);
        return norm;
    }
};

} // namespace trainyard
