#include "app/hosts/model/model_trial.h"

#include "engine/generation/options/try_command_line.h"

namespace trainyard {

ModelTrial::ModelTrial(RunService& runs, const QString& host, const TryOptions& options, QObject* parent)
    : ModelJob(runs, host, QStringLiteral("try"), tryArguments(options), parent)
{
}

} // namespace trainyard
