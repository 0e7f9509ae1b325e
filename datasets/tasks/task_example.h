#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "engine/base/result.h"

namespace trainyard {

/// An answer and where it begins.
struct GivenAnswer {
    std::string text;
    std::size_t begin = 0; ///< byte of the context
};

/// One labelled example of a file. Which parts it has depends on the task.
struct TaskExample {
    std::string text;                 ///< sentence, question or prompt
    std::string pair;                 ///< second sentence, context of the question, or completion
    std::string label;                ///< class, or number
    std::vector<std::string> words;   ///< of a tagged sentence
    std::vector<std::string> tags;    ///< one for each word
    std::string id;                   ///< of a question
    std::vector<GivenAnswer> answers; ///< none: the context has no answer
    std::uint64_t group = 0;          ///< examples of one group are held out together: of one context
    std::uint32_t file = 0;           ///< of TaskExamples::files
    std::size_t line = 0;             ///< from 1; of a table of columns the row
};

/// Whether the file is a table of columns, Parquet or Arrow, by the end of its name.
bool isColumnTable(const std::filesystem::path& file);

struct TaskExamples {
    std::vector<std::filesystem::path> files;
    std::vector<TaskExample> examples; ///< in the order of the files
    std::string labelColumn = "label"; ///< for messages

    /// "train.tsv: line 7, column label: <problem>"; of a table of columns "row 7".
    Error problemAt(const TaskExample& example, std::string_view column, const std::string& problem,
                    const std::string& hint) const;
};

} // namespace trainyard
