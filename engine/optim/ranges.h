#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "engine/optim/optimized_tensor.h"
#include "engine/optim/update_kernels.h"

namespace trainyard {

/// A run of consecutive elements of one tensor: what one thread of a processor handles at a time, or one call
/// of a device.
struct ElementRange {
    std::size_t tensor = 0;
    std::int64_t begin = 0;
    std::int64_t end = 0;

    std::int64_t count() const { return end - begin; }
};

/// An optimizer's tensors, cut into ranges of at most kernels.rangeElements(), and the kernels that pass over
/// them. The ranges depend on the shapes alone, so that sums over them, added up in their order, do not
/// depend on the number of threads.
class TensorRanges {
public:
    /// The tensors lie where the kernels work. `kernels` outlives this object.
    TensorRanges(const std::vector<OptimizedTensor>& tensors, const UpdateKernels& kernels);

    const UpdateKernels& kernels() const { return m_kernels; }
    /// Calls `pass` with every range, perhaps on several threads, and `after` when its passes' results may be
    /// used.
    void forEach(const std::function<void(const ElementRange&)>& pass,
                 const std::function<void(const ElementRange&)>& after) const;
    /// The same for passes that sum `columns` numbers (UpdatePasses); the sums over the tensors of each
    /// parameter of the store: number c of parameter p is element columns * p + c. Waits for the device.
    std::vector<double> sum(std::size_t columns,
                            const std::function<void(const ElementRange&, double* sums)>& handle) const;

private:
    const UpdateKernels& m_kernels;
    std::vector<ElementRange> m_ranges;
    std::vector<std::size_t> m_parameters; // by tensor
    c10::Device m_place{c10::DeviceType::CPU};
};

/// Where kernels write the new weights as bfloat16 bits; null where the working copy is not of that type.
std::uint16_t* bfloat16CopyOf(const OptimizedTensor& tensor, const ElementRange& range);

/// Working copy := master weights, rounded to its type, in a range that was just updated and so is still in
/// the cache. Nothing to do without a copy. Any thread.
void refreshWorkingCopy(const OptimizedTensor& tensor, const ElementRange& range);
/// The same, unless kernels wrote bfloat16CopyOf().
void refreshOtherCopy(const OptimizedTensor& tensor, const ElementRange& range);

} // namespace trainyard
