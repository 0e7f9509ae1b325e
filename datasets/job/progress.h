#pragma once

#include <array>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <map>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

#include "engine/records/record.h"

namespace trainyard {

/// The stages of a preparation in the order of their start; the first ones run at the same time. Verify is a
/// separate job.
enum class Stage : std::uint8_t {
    Vocabulary,
    Read,
    Clean,
    Sentences,
    Tokens,
    Instances,
    Shards,
    Megatron,
    Mds,
    Verify
};
constexpr std::size_t kStages = 10;

/// Counters of a running job. Any thread adds; the reporter reads.
class Progress {
public:
    /// `total` 0 = unknown.
    void start(Stage stage, std::uint64_t total = 0);
    void advance(Stage stage, std::uint64_t done)
    {
        m_stages[index(stage)].done.fetch_add(done, std::memory_order_relaxed);
    }
    void set(Stage stage, std::uint64_t done)
    {
        m_stages[index(stage)].done.store(done, std::memory_order_relaxed);
    }
    /// Starts the stage if necessary, and adds to its total.
    void extend(Stage stage, std::uint64_t total);
    /// Adds work of an earlier process: counts as done, but not for the rate.
    void skip(Stage stage, std::uint64_t done);
    /// Ends the stage; an unknown total becomes the work done.
    void finish(Stage stage);

    /// Adds to a named counter of found or dropped items, which the manifest records.
    void count(Stage stage, const std::string& counter, std::uint64_t amount);
    std::map<std::string, std::uint64_t> counters() const; ///< of all stages
    void forgetCounters(Stage stage);

    /// Adds a message for the user, which the reporter shows.
    void warn(std::string kind, std::string message);
    std::vector<EventRecord> takeEvents();

    /// Returns the started stages.
    std::vector<ProgressRecord> snapshot() const;

private:
    using Time = std::chrono::steady_clock::time_point;
    struct State {
        std::atomic<bool> started{false};
        std::atomic<std::uint64_t> done{0};
        std::atomic<std::uint64_t> total{0};
        std::atomic<std::uint64_t> skipped{0}; ///< part of done
        std::atomic<Time> begin{Time()};
        std::atomic<Time> end{Time()}; ///< Time() = still running
        std::map<std::string, std::uint64_t> counters;
    };
    static std::size_t index(Stage stage) { return static_cast<std::size_t>(stage); }
    ProgressRecord recordOf(Stage stage) const;

    std::array<State, kStages> m_stages;
    mutable std::mutex m_mutex; ///< guards counters and events
    std::vector<EventRecord> m_events;
};

std::string_view nameOf(Stage stage);

} // namespace trainyard
