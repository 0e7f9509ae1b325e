#include "datasets/tasks/task_example.h"

#include <fmt/format.h>

namespace trainyard {

bool isColumnTable(const std::filesystem::path& file)
{
    return file.extension() == ".parquet" || file.extension() == ".arrow";
}

Error TaskExamples::problemAt(const TaskExample& example, std::string_view column, const std::string& problem,
                              const std::string& hint) const
{
    const std::filesystem::path& file = files[example.file];
    return badInput(fmt::format("{}: {} {}, column {}: {}", file.string(),
                                isColumnTable(file) ? "row" : "line", example.line, column, problem),
                    hint);
}

} // namespace trainyard
