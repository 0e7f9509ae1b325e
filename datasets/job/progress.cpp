#include "datasets/job/progress.h"

#include <algorithm>

#include <nlohmann/json.hpp>

namespace trainyard {

namespace {

struct StageFacts {
    std::string_view name;
    std::string_view unit;
};

constexpr std::array<StageFacts, kStages> kFacts{{{"vocabulary", "B"},
                                                  {"read", "B"},
                                                  {"clean", "pages"},
                                                  {"sentences", "sentences"},
                                                  {"tokens", "tokens"},
                                                  {"instances", "documents"},
                                                  {"shards", "rows"},
                                                  {"megatron", "documents"},
                                                  {"mds", "rows"},
                                                  {"verify", "rows"}}};

} // namespace

std::string_view nameOf(Stage stage)
{
    return kFacts[static_cast<std::size_t>(stage)].name;
}

void Progress::start(Stage stage, std::uint64_t total)
{
    State& state = m_stages[index(stage)];
    state.done = 0;
    state.skipped = 0;
    state.total = total;
    state.begin = std::chrono::steady_clock::now();
    state.end = Time();
    state.started = true;
}

void Progress::extend(Stage stage, std::uint64_t total)
{
    State& state = m_stages[index(stage)];
    if (!state.started)
        start(stage);
    state.total += total;
}

void Progress::skip(Stage stage, std::uint64_t done)
{
    State& state = m_stages[index(stage)];
    state.skipped += done;
    state.done += done;
}

void Progress::finish(Stage stage)
{
    State& state = m_stages[index(stage)];
    if (state.total == 0)
        state.total = state.done.load();
    state.end = std::chrono::steady_clock::now();
}

void Progress::count(Stage stage, const std::string& counter, std::uint64_t amount)
{
    const std::lock_guard lock(m_mutex);
    m_stages[index(stage)].counters[counter] += amount;
}

std::map<std::string, std::uint64_t> Progress::counters() const
{
    const std::lock_guard lock(m_mutex);
    std::map<std::string, std::uint64_t> all;
    for (const State& state : m_stages) {
        for (const auto& [name, amount] : state.counters)
            all[name] += amount;
    }
    return all;
}

void Progress::forgetCounters(Stage stage)
{
    const std::lock_guard lock(m_mutex);
    m_stages[index(stage)].counters.clear();
}

void Progress::warn(std::string kind, std::string message)
{
    const std::lock_guard lock(m_mutex);
    m_events.push_back({Severity::Warning, std::move(kind), std::move(message), std::nullopt, 0});
}

std::vector<EventRecord> Progress::takeEvents()
{
    const std::lock_guard lock(m_mutex);
    return std::exchange(m_events, {});
}

std::vector<ProgressRecord> Progress::snapshot() const
{
    std::vector<ProgressRecord> records;
    for (std::size_t i = 0; i < kStages; ++i) {
        if (m_stages[i].started)
            records.push_back(recordOf(static_cast<Stage>(i)));
    }
    return records;
}

ProgressRecord Progress::recordOf(Stage stage) const
{
    const State& state = m_stages[index(stage)];
    ProgressRecord record;
    record.stage = nameOf(stage);
    record.unit = kFacts[index(stage)].unit;
    record.done = state.done;
    record.total = state.total;
    const Time end = state.end.load() == Time() ? std::chrono::steady_clock::now() : state.end.load();
    const double seconds = std::chrono::duration<double>(end - state.begin.load()).count();
    record.rate =
        seconds > 0 ? static_cast<double>(record.done - std::min(record.done, state.skipped.load())) / seconds
                    : 0;
    if (record.total > 0 && record.rate > 0)
        record.secondsLeft =
            static_cast<double>(record.total - std::min(record.done, record.total)) / record.rate;
    const std::lock_guard lock(m_mutex);
    record.counters = nlohmann::json(state.counters).dump();
    return record;
}

} // namespace trainyard
