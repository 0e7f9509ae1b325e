#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "datasets/options/task_options.h"
#include "datasets/tasks/task_example.h"

namespace trainyard {

/// The classes of a task and their numbers. Immutable; any thread.
class LabelNames {
public:
    /// Those of `options`, or those that the examples have, sorted: as numbers where all are whole numbers,
    /// else as texts. None for tasks without classes. BadInput if there are fewer than two, or one is given
    /// twice.
    static Result<LabelNames> create(const TaskExamples& training, const TaskOptions& options);

    const std::vector<std::string>& names() const { return m_names; }
    /// -1 if there is no such class.
    std::int32_t numberOf(const std::string& name) const;
    /// For a message about a class that is none of these: "the labels are: a, b".
    std::string listed() const;

private:
    std::vector<std::string> m_names;
    std::unordered_map<std::string, std::int32_t> m_numbers;
};

} // namespace trainyard
