#include "remote/launch/data_job_needs.h"

#include <algorithm>

#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>
#include <QRegularExpression>
#include <QStringList>

namespace trainyard {

namespace {

/// Names that texts and token ids have. A folder may have them too, but then it was named to mislead.
bool isNamedOtherwise(const QString& file)
{
    static const QRegularExpression texts(
        QStringLiteral("\\.(xml[^/.]*|jsonl|json|txt|tsv|csv|idx|bin)(\\.(gz|bz2|zst))?$"));
    return file == QLatin1String("-") || texts.match(file).hasMatch();
}

bool isNamedTable(const QString& file)
{
    return file.endsWith(QLatin1String(".parquet")) || file.endsWith(QLatin1String(".arrow"));
}

QString valueOf(const QStringList& arguments, const QString& option)
{
    const auto at = arguments.indexOf(option);
    return at < 0 ? QString() : arguments.value(at + 1);
}

} // namespace

bool mayReadTables(const QByteArray& job)
{
    const QJsonObject read = QJsonDocument::fromJson(job).object();
    const QString command = read.value("command").toString();
    QStringList arguments;
    for (const auto& argument : read.value("arguments").toArray())
        arguments << argument.toString();
    if (command != QLatin1String("prepare") && command != QLatin1String("documents"))
        return false;
    if (arguments.contains(QLatin1String("--task"))) // the end of a name decides
        return std::any_of(arguments.begin(), arguments.end(), isNamedTable);
    const QString format = valueOf(arguments, QStringLiteral("--format"));
    if (!format.isEmpty() && format != QLatin1String("auto"))
        return format == QLatin1String("parquet") || format == QLatin1String("arrow");
    // Files come first (datasets/options/prepare_command_line.h).
    const auto end = std::find_if(arguments.begin(), arguments.end(), [](const QString& argument) {
        return argument.startsWith(QLatin1String("--"));
    });
    return !std::all_of(arguments.begin(), end, isNamedOtherwise);
}

} // namespace trainyard
