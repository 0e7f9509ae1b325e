#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>

#include "engine/base/units.h"

/// The limits on which client and agent agree; remote/agent/PROTOCOL.md explains them.
namespace trainyard {

constexpr int kProtocolVersion = 2;       ///< what this side speaks
constexpr int kOldestProtocolVersion = 2; ///< what it still understands

constexpr std::size_t kNonceDigits = 32;                ///< hex digits of the greeting
constexpr std::size_t kGreetingSearchBytes = 64 * kKiB; ///< noise of a login shell that is skipped before it

constexpr std::size_t kMaxPayload = 1 * kMiB;   ///< of a frame
constexpr std::size_t kUploadChunk = 64 * kKiB; ///< usual size of an upload's chunks
constexpr std::size_t kUploadWindow = 4 * kMiB; ///< bytes of one upload sent but not yet acknowledged
constexpr std::size_t kMaxRead = 512 * kKiB;    ///< bytes that one "read" may ask for

/// An agent that hears nothing from its client for this long, over a link that may die, ends.
constexpr std::chrono::seconds kMaxSilence{60};

} // namespace trainyard
