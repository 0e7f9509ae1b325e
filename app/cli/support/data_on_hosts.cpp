#include "app/cli/support/data_on_hosts.h"

#include "app/base/display_text.h"
#include "app/cli/support/awaited.h"
#include "app/cli/support/console.h"
#include "app/cli/support/desk.h"
#include "app/cli/support/follow.h"
#include "app/data/model/host_verification.h"
#include "app/data/model/multi_host_preparation.h"
#include "engine/base/standard_streams.h"
#include "engine/spec/validate.h"

namespace trainyard {

namespace {

/// The only argument of `verify` that is not an option or the value of one.
std::string folderOf(const std::vector<std::string>& arguments)
{
    for (std::size_t i = 0; i < arguments.size(); ++i) {
        const bool isValue = i > 0 && (arguments[i - 1] == "--sample" || arguments[i - 1] == "--vocab");
        if (!isValue && !arguments[i].starts_with('-'))
            return arguments[i];
    }
    return {};
}

Result<int> prepareOnOne(const std::string& host, const std::vector<std::string>& arguments)
{
    Desk desk;
    TRAINYARD_TRY(const auto run, desk.finish(desk.runs().launchPrepare(QString::fromStdString(host),
                                                                        "prepare", toStringList(arguments))));
    return followRun(desk, run);
}

Result<PrepareRequest> spreadRequest(const std::vector<std::string>& hosts,
                                     const std::vector<std::string>& arguments)
{
    auto request = requestOf(QString::fromStdString(hosts.front()), toStringList(arguments));
    if (!request)
        return badInput("an option is unknown or has no value", "see `trainyard prepare --help`");
    request->readers = toStringList(hosts);
    if (const Diagnostics problems = validate(*request); !problems.empty())
        return toError(problems);
    return *request;
}

/// The stage that takes longest, in one line.
QString stageLine(const StageProgress& progress)
{
    QStringList parts;
    for (const Stage& stage : progress.stages()) {
        if (stage.started && !stage.finished)
            parts << stage.name + ' ' + stage.doneText();
    }
    if (progress.secondsLeft() >= 0)
        parts << displaySeconds(progress.secondsLeft()) + " left";
    return parts.join(", ");
}

Status finish(MultiHostPreparation& job)
{
    console::Awaited<Status> answer;
    answer.onInterrupt([&job] { job.cancel(); });
    QObject::connect(&job, &MultiHostPreparation::startProgress, answer.context(),
                     [](const QString& text, double) { console::transient(text); });
    QObject::connect(&job, &MultiHostPreparation::progressed, answer.context(),
                     [&job] { console::transient(stageLine(job.progress())); });
    QObject::connect(&job, &MultiHostPreparation::noticed, answer.context(),
                     [](const QString& text) { console::note(text); });
    QObject::connect(&job, &MultiHostPreparation::finished, answer.context(),
                     [&answer](const Status& status) { answer.set(status); });
    job.start();
    return answer.wait();
}

Result<int> prepareOnSeveral(const std::vector<std::string>& hosts, const std::vector<std::string>& arguments)
{
    TRAINYARD_TRY(const auto request, spreadRequest(hosts, arguments));
    Desk desk;
    MultiHostPreparation job(desk.runs(), request);
    TRAINYARD_TRY_STATUS(finish(job));
    for (const QString& folder : request.dataSetFolders())
        console::print(request.host + ':' + folder);
    return 0;
}

} // namespace

Result<int> prepareOnHosts(const std::vector<std::string>& hosts, const std::vector<std::string>& arguments)
{
    return hosts.size() == 1 ? prepareOnOne(hosts.front(), arguments) : prepareOnSeveral(hosts, arguments);
}

Status verifyOnHost(const std::string& host, const std::vector<std::string>& arguments)
{
    if (const std::string folder = folderOf(arguments); !folder.starts_with('/'))
        return badInput(folder.empty() ? "no data set was named"
                                       : "\"" + folder + "\" is not an absolute path",
                        "give the absolute path on " + host + "");
    Desk desk;
    HostVerification job(desk.runs(), QString::fromStdString(host), toStringList(arguments));
    TRAINYARD_TRY(const VerifyAnswer answer, console::await<Result<VerifyAnswer>>(job));
    printOutput(std::string_view(answer.report.constData(), std::size_t(answer.report.size())));
    return answer.error ? Status(*answer.error) : Status();
}

} // namespace trainyard
