#pragma once

#include <functional>
#include <utility>
#include <vector>

namespace trainyard {

/// What a backward pass left to be done for the gradients of weights, once those of the inputs are there: the
/// zero-bubble schedules fill idle time with it (Qi et al., arXiv:2401.10241). Holds the factors of the
/// products. One thread at a time.
class PendingGradients {
public:
    void add(std::function<void()> gradient) { m_gradients.push_back(std::move(gradient)); }

    /// All of them, in order; each frees what it held.
    void compute()
    {
        for (std::function<void()>& gradient : m_gradients)
            std::exchange(gradient, nullptr)();
        m_gradients.clear();
    }

private:
    std::vector<std::function<void()>> m_gradients;
};

} // namespace trainyard
