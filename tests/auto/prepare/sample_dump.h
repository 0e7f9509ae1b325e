#pragma once

#include <filesystem>

#include "datasets/options/prepare_options.h"

namespace trainyard {

inline std::filesystem::path sampleDump()
{
    return TRAINYARD_SOURCE_DIR "/resources/samples/trainyard-sample.xml.bz2";
}

/// A small data set: short rows, a vocabulary of its own, three training shards and one for tests.
inline PrepareOptions smallOptions(const std::filesystem::path& out)
{
    PrepareOptions options;
    options.dumps = {sampleDump()};
    options.trainVocabulary = 1200;
    options.out = out;
    options.instances.sequenceLength = 64;
    options.instances.maxPredictions = 10;
    options.dupeFactor = 2;
    options.trainingShards = 3;
    options.testShards = 1;
    options.threads = 2;
    return options;
}

} // namespace trainyard
