#pragma once

#include <filesystem>

#include "app/exchange/loaded_run.h"
#include "engine/base/result.h"

namespace trainyard {

/// Whether a folder is a run in MLflow's file store: it has meta.yaml and the folder metrics.
/// https://mlflow.org/docs/latest/tracking/backend-stores, "Local file store".
bool isMlflowRun(const std::filesystem::path& folder);

/// Metrics are series, parameters are texts "param/NAME", tags of the user are texts "tag/NAME". Lines of a
/// metric that are none are skipped with a warning, and artifacts are named as left out. BadInput for a
/// damaged meta.yaml.
Result<LoadedRun> loadMlflowRun(const std::filesystem::path& folder, const ImportGoesOn& goesOn = {});

} // namespace trainyard
