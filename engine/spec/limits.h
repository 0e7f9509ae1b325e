#pragma once

namespace trainyard {

// What a specification may ask for at most: far beyond every model and cluster there is, and small enough
// that products of a few of these numbers can be counted.
constexpr int kMaxLayers = 1024;
constexpr int kMaxExperts = 4096;
constexpr int kMaxWidth = 1 << 20;   ///< hidden size, heads, feed-forward width
constexpr int kMaxEntries = 1 << 24; ///< vocabulary, positions
constexpr int kMaxLabels = 1 << 16;  ///< classes of a task
constexpr int kMaxLoraRank = 1 << 16;
constexpr int kMaxRanks = 1 << 16; ///< of a run, of a host
constexpr int kMaxSequences = 1 << 20;
constexpr int kMaxPhases = 1000;
constexpr int kMaxMixedSets = 64; ///< data sets of a run
constexpr int kMaxMixWeight = 1'000'000;

} // namespace trainyard
