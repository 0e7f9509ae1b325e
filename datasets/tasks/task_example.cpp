#include "datasets/tasks/task_example.h"

#include <fmt/format.h>

namespace trainyard {

Error TaskExamples::problemAt(const TaskExample& example, std::string_view column, const std::string& problem,
                              const std::string& hint) const
{
    return badInput(fmt::format("{}: line {}, column {}: {}", files[example.file].string(), example.line,
                                column, problem),
                    hint);
}

} // namespace trainyard
