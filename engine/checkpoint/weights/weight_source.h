#pragma once

#include <cstddef>
#include <filesystem>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "engine/base/result.h"
#include "engine/base/tensor_box.h"
#include "engine/checkpoint/weights/weight_description.h"

namespace trainyard {

/// Stored weights that a run can begin with, whoever wrote them. One thread. A new format is one more of
/// these and its line in openWeights().
class WeightSource {
public:
    virtual ~WeightSource() = default;

    const WeightDescription& description() const { return m_description; }
    /// Fills `destination` with a box of the tensor, which lies within its shape, row-major and in its stored
    /// type; the size must fit exactly. BadInput naming tensor and file when the content is damaged, Failed
    /// when it cannot be read.
    virtual Status read(const StoredTensor& tensor, const TensorBox& box,
                        std::span<std::byte> destination) = 0;
    /// Equal for equal content, wherever it is; may read everything.
    virtual std::string fingerprint() const = 0;
    /// What cannot be seen from single tensors; may read everything.
    virtual Status checkContent() const { return {}; }
    /// What openWeights() needs, in order of reading: files of the folder, of adapters also their base's.
    virtual std::vector<std::filesystem::path> files() const = 0;

protected:
    explicit WeightSource(WeightDescription description) : m_description(std::move(description)) {}

private:
    WeightDescription m_description;
};

/// Opens the folder of a Hugging Face model, of PEFT's adapters or of one checkpoint (findWeights()).
/// BadInput when it is damaged or of an unknown kind.
Result<std::unique_ptr<WeightSource>> openWeights(const std::filesystem::path& folder);

} // namespace trainyard
