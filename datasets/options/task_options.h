#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "engine/spec/names.h"

namespace trainyard {

/// Options of `trainyard-prepare prepare --task`: what the files are that hold labelled examples.
struct TaskOptions {
    TaskKind kind = TaskKind::None;
    std::vector<std::filesystem::path> heldOut; ///< files of the test rows; empty = a share of the examples
    // Columns by name, or by number from 1; empty = the usual names.
    std::string text;  ///< sentence, or prompt; without a task the text of JSON lines, Parquet and Arrow
    std::string pair;  ///< second sentence
    std::string label; ///< class, number, tags or completion
    bool noHeader = false;
    std::vector<std::string> labels; ///< in the order of their numbers; empty = those found, sorted
    int docStride = 128;             ///< tokens that two rows of one long text share

    /// With the usual values of the options without a meaning for a task of this kind.
    TaskOptions meaningful() const;
    /// Names of the options that differ from those: {"--pair"} of a task that tags words.
    std::vector<std::string> meaningless() const;

    bool isOn() const { return kind != TaskKind::None; }
    bool operator==(const TaskOptions&) const = default;
};

} // namespace trainyard
