#pragma once

namespace trainyard {

// What a specification may ask for at most: far beyond every model and cluster there is, and small enough
// that products of a few of these numbers can be counted.
constexpr int kMostLayers = 1024;
constexpr int kMostWidth = 1 << 20;   ///< hidden size, heads, feed-forward width
constexpr int kMostEntries = 1 << 24; ///< vocabulary, positions
constexpr int kMostRanks = 1 << 16;   ///< of a run, of a host
constexpr int kMostSequences = 1 << 20;

} // namespace trainyard
