#pragma once

#include "app/hosts/model/model_job.h"
#include "engine/generation/options/try_options.h"

namespace trainyard {

/// Tries a model where it is.
class ModelTrial : public ModelJob {
public:
    ModelTrial(RunService& runs, const QString& host, const TryOptions& options, QObject* parent = nullptr);
};

} // namespace trainyard
