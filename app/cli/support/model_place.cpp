#include "app/cli/support/model_place.h"

#include <filesystem>

#include "app/cli/support/awaited.h"
#include "app/cli/support/console.h"
#include "app/hosts/model/model_job.h"
#include "engine/base/file.h"
#include "engine/base/standard_streams.h"
#include "remote/launch/desk_run.h"

namespace trainyard {

namespace fs = std::filesystem;

ModelPlace modelPlaceOf(const std::string& model, const std::string& host)
{
    std::error_code ignored;
    const bool canBeRun = isPlainName(model) && !fs::exists(model, ignored);
    if (!host.empty() || !canBeRun)
        return {host, model};
    const auto run = loadDeskRun(QString::fromStdString(model));
    return {run.ok() ? run->head().toStdString() : std::string(), model};
}

Status printAnswer(ModelJob& job)
{
    QObject::connect(&job, &ModelJob::answered, &job, [](const QString& text) {
        console::transient({});
        printOutput(text.toStdString());
    });
    QObject::connect(&job, &ModelJob::noticed, &job, [](const QString& text) {
        console::transient({});
        printNotice(text.toStdString() + '\n');
    });
    return console::await<Status>(job);
}

} // namespace trainyard
