#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "engine/base/result.h"

namespace trainyard {

/// A line is a chain of attempts, each of which went on from the newest checkpoint of those before. Going
/// back to an older checkpoint begins a new line; the checkpoints above that step stay with the line that
/// was left.
struct CheckpointLine {
    int number = 1;
    int parent = 0;        ///< the line that it branched off; 0 = the first line
    std::int64_t from = 0; ///< step of the checkpoint that it began with
    /// Random, of a line that begins while other hosts have folders of their own: two hosts that each began
    /// one without the other can tell them apart. Empty: one folder has all.
    std::string id{};

    bool operator==(const CheckpointLine&) const = default;
};

/// line.json beside the checkpoints: which lines there are, and what the run itself wrote into `latest`
/// last. Where `latest` holds something else, a person has written it.
struct LineRecord {
    std::string latest;
    std::vector<CheckpointLine> lines{CheckpointLine{}}; ///< the present one last; never empty
    /// Hosts with folders of their own that took part in the last start, the head included: one that is
    /// absent may have published what no other knows. Empty: one folder has all.
    std::vector<std::string> hosts{};

    const CheckpointLine& present() const { return lines.back(); }
    /// The run went through all lines of `other` too, first.
    bool continues(const LineRecord& other) const;
    /// A missing or damaged file counts as empty: the names of the folders give the rest. Failed when the
    /// file system does not let us read it.
    static Result<LineRecord> load(const std::filesystem::path& checkpoints);
    Status save(const std::filesystem::path& checkpoints) const;

    bool operator==(const LineRecord&) const = default;
};

} // namespace trainyard
