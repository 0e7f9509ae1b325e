#pragma once

#include <cstdint>
#include <filesystem>
#include <fstream>
#include <string>
#include <variant>
#include <vector>

#include "engine/base/result.h"

namespace trainyard::soak {

/// Milliseconds since the soak began, by a clock that nobody sets.
using Moment = std::int64_t;

struct Began {
    std::uint64_t seed = 0;
    int hosts = 0;    ///< with ranks
    int keepLast = 0; ///< checkpoints that a publication leaves of the line
};

struct Injected {
    std::string fault;
    int host = 0;
    Moment lastsMs = 0; ///< 0 = it is over at once
    std::string how;    ///< "pid 4711"; empty when there was nothing that it could hit
};

struct Healed {
    std::string fault;
    int host = 0;
};

/// Somebody at the desk went on with a run that had ended.
struct Resumed {
    std::uint32_t attempt = 0;
    std::string trouble; ///< empty = it started
};

/// What the head's files and the process tables of all hosts said.
struct Looked {
    std::uint32_t epoch = 0;
    std::uint32_t attempt = 0; ///< of state.json
    std::string state;
    std::vector<std::vector<std::uint32_t>> ranks; ///< by host: the attempts that its ranks belong to
};

/// One folder `step-*`, read to its last byte.
struct CheckpointFound {
    std::string name;
    std::string state;  ///< "whole", "damaged", "unreadable"; "wrong bytes": damaged, and only hashes tell
    std::string reason; ///< why it is not complete

    bool operator==(const CheckpointFound&) const = default;
};

/// The run's folder `checkpoints` as it was at one moment. Where nobody was at work in it then, all is of
/// that moment: the nemesis holds its writers before it does something to it.
struct FolderSeen {
    bool byNemesis = false; ///< what differs from the state before is the nemesis's work, not the run's
    std::string trouble;    ///< what of the folder cannot be read, and why; empty = nothing
    std::string latest;     ///< without line feed; empty = there is none
    std::string recorded;   ///< what the run wrote into `latest` last, as line.json says
    std::vector<CheckpointFound> checkpoints; ///< newest name first
    std::vector<std::string> leftovers;       ///< .step-*.partial

    bool operator==(const FolderSeen&) const = default;
};

/// One record of the head's journals, read after the end.
struct RecordKept {
    std::string stream;
    std::uint32_t attempt = 0;
    std::uint64_t sequence = 0;
    std::int64_t step = 0; ///< 0 = it is no step
    double loss = 0;
    std::string text; ///< of a state or an event
};

/// One step of a run with the same specification that nobody disturbed.
struct ReferenceStep {
    std::int64_t step = 0;
    double loss = 0;
};

/// The contents of a journal on both sides, as a hash, after the end.
struct StreamCompared {
    std::string stream;
    std::string head;
    std::string desk;
};

struct HostAtEnd {
    int host = 0;
    int processes = 0;
    std::vector<std::string> files;
};

struct Ended {
    std::string state; ///< of the run
};

using Happening = std::variant<Began, Injected, Healed, Resumed, Looked, FolderSeen, RecordKept,
                               ReferenceStep, StreamCompared, HostAtEnd, Ended>;

struct Entry {
    Moment atMs = 0;
    Happening what;
};

/// All that a soak did and saw, in order.
using History = std::vector<Entry>;

/// A history as a file while it is being made, one JSON object a line:
///     {"at_ms": 8123, "injected": {"fault": "link cut", "host": 2, "lastsMs": 4000, "how": "…"}}
/// Each line is there, whatever ends the process, as soon as it is added.
class HistoryFile {
public:
    explicit HistoryFile(const std::filesystem::path& file) : m_out(file, std::ios::trunc) {}

    void add(Moment atMs, const Happening& what);
    bool ok() const { return m_out.good(); }

private:
    std::ofstream m_out;
};

/// BadInput names the line that is none of a history.
Result<History> readHistory(const std::filesystem::path& file);

/// What was done to the run, a line each: "8.1 s  host 2: link cut for 4.0 s: …".
std::vector<std::string> journalOf(const History& history);
/// How often each fault was injected: "bit flipped 2, gone back 1, …".
std::string countsOf(const History& history);

} // namespace trainyard::soak
