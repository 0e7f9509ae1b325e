#pragma once

#include <functional>
#include <memory>

#include <torch/csrc/autograd/saved_variable_hooks.h>

namespace trainyard {

/// While it lives, what this thread's operations save for their backward pass goes through hooks: one object
/// per saved tensor packs it at once and unpacks it in the backward pass. LibTorch lets Python do so; this is
/// the same seam from C++, an autograd engine that hands out our hooks, which the first scope makes the
/// process's engine. Scopes nest; the innermost one counts.
class SavedTensorScope {
public:
    using Factory = std::function<std::unique_ptr<torch::autograd::SavedVariableHooks>()>;

    explicit SavedTensorScope(Factory factory);
    ~SavedTensorScope();
    SavedTensorScope(const SavedTensorScope&) = delete;
    SavedTensorScope& operator=(const SavedTensorScope&) = delete;

private:
    const Factory m_factory;
    const Factory* const m_outer;
};

} // namespace trainyard
