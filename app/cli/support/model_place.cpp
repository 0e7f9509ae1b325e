#include "app/cli/support/model_place.h"

#include <filesystem>

#include <fmt/format.h>

#include "app/base/this_machine.h"
#include "app/cli/support/awaited.h"
#include "app/cli/support/console.h"
#include "app/cli/support/desk.h"
#include "app/cli/support/node_tool.h"
#include "app/hosts/model/model_job.h"
#include "engine/base/file.h"
#include "engine/base/standard_streams.h"
#include "engine/checkpoint/weights/find_weights.h"
#include "remote/launch/desk_run.h"

namespace trainyard {

namespace fs = std::filesystem;

namespace {

Status runOnHost(const std::string& host, const std::string& command,
                 const std::vector<std::string>& arguments)
{
    Desk desk;
    ModelJob job(desk.runs(), QString::fromStdString(host), QString::fromStdString(command), arguments);
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

} // namespace

Result<ModelPlace> modelPlaceOf(const std::string& model, const std::string& host)
{
    std::error_code ignored;
    if (!host.empty() || fs::exists(model, ignored))
        return ModelPlace{host, model};
    if (isPlainName(model)) {
        if (const auto run = loadDeskRun(QString::fromStdString(model)); run.ok())
            return ModelPlace{run->head().toStdString(), model};
    }
    return noSuchModel(model, deskRunIds());
}

Status makeAbsolute(const std::string& host, std::initializer_list<OptionPath> paths)
{
    for (const auto& [option, path] : paths) {
        if (path.empty() || fs::path(path).is_absolute())
            continue;
        if (host != thisMachine().toStdString())
            return badInput(
                fmt::format("{} {} is a relative path, and the model is on {}", option, path, host),
                "give the absolute path on that host");
        path = fs::absolute(path).string();
    }
    return {};
}

Result<int> runModelCommand(const std::string& host, const std::string& command,
                            const std::vector<std::string>& arguments)
{
    if (host.empty()) {
        std::vector<std::string> words{command};
        words.insert(words.end(), arguments.begin(), arguments.end());
        return becomeNodeTool("trainyard-worker", words);
    }
    TRAINYARD_TRY_STATUS(runOnHost(host, command, arguments));
    return 0;
}

} // namespace trainyard
