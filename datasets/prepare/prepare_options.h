#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "datasets/pretraining/instance.h"
#include "engine/base/result.h"

namespace trainyard {

/// What `trainyard-prepare prepare` was asked to do.
struct PrepareOptions {
    static constexpr int kFewestTrainingShards = 2; ///< the usual training scripts skip a lone one

    std::vector<std::filesystem::path> dumps;
    std::filesystem::path vocabulary;     ///< empty = train one
    std::size_t trainVocabulary = 0;      ///< pieces to train; 0 = use `vocabulary`
    std::filesystem::path out;            ///< its parents need not exist
    std::string corpus = "wikicorpus_en"; ///< first part of the shards' names
    InstanceSettings instances;
    int dupeFactor = 5;
    int trainingShards = 8;
    int testShards = 2;
    double testFraction = 0.1;
    bool cased = false;
    int threads = 0; ///< 0 = one per core

    /// All values as they will be used: threads filled in, `out` absolute and without links. BadInput names
    /// the option that is out of range, or the file or folder that is in the way.
    Result<PrepareOptions> checked() const;
};

} // namespace trainyard
