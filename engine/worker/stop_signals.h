#pragma once

#include <functional>
#include <thread>

#include "engine/training/run_requests.h"

namespace trainyard {

/// Turns SIGTERM and SIGINT into a stop request: the run finishes its step, publishes a checkpoint and ends.
/// Create before any other thread: the signals are blocked in the creating thread and inherited so; a thread
/// of this object takes them one after another.
class StopSignals {
public:
    /// `onSignal` runs on that thread, with the signal's name, before the flag is set.
    explicit StopSignals(std::function<void(const char* signal)> onSignal);
    ~StopSignals();
    StopSignals(const StopSignals&) = delete;
    StopSignals& operator=(const StopSignals&) = delete;

    const StopFlag* flag() const { return &m_flag; }

private:
    void loop(const std::function<void(const char*)>& onSignal);

    StopFlag m_flag = false;
    std::thread m_thread;
};

} // namespace trainyard
