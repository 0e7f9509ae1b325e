#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "datasets/shards/manifest.h"
#include "engine/base/result.h"
#include "engine/spec/run_spec.h"
#include "engine/training/data/mixed_rows.h"

namespace trainyard {

/// The test rows of a mix: of its data sets that have some, by weight.
class HeldOutMix {
public:
    /// `manifests`: of each of dataset.sets().
    HeldOutMix(const DatasetSpec& dataset, const std::vector<Manifest>& manifests);

    /// Until the first of the data sets would begin again.
    std::uint64_t rows() const;
    /// Requires rows() > 0.
    Result<MixedRows> open(std::size_t blocksInMemory) const;
    std::string hash() const; ///< SHA-256 of the manifests
    /// UTF-8 bytes of text per token, the mean by weight; nullopt: a data set does not tell.
    std::optional<double> bytesPerToken() const;

private:
    struct Set {
        std::string path;
        double weight = 1;
        Manifest manifest;
    };
    DataMix mix() const;

    std::vector<Set> m_sets;
};

} // namespace trainyard
