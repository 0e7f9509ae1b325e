#pragma once

#include <string>
#include <string_view>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "engine/base/result.h"
#include "engine/spec/run_spec.h"

namespace trainyard {

// Tasks in a config.json. `prefix`: of the family's classes, "Bert" of BertForTokenClassification.

/// The class of a task with a head.
std::string taskClass(std::string_view prefix, TaskKind kind);

/// The task of the class that saved the model; none for classes of pre-training. `dropout`: of the head where
/// the configuration does not say. BadInput for a task that this engine has not; throws
/// nlohmann::json::exception.
Result<TaskSpec> readTask(const nlohmann::ordered_json& config, std::string_view prefix, double dropout);

/// `labels`: see Architecture::config().
void addTask(nlohmann::ordered_json& config, const TaskSpec& task, const std::vector<std::string>& labels);

} // namespace trainyard
