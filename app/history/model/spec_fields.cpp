#include "app/history/model/spec_fields.h"

#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>

#include "app/base/display_text.h"

namespace trainyard {

namespace {

void collect(const QJsonValue& value, const QString& path, SpecFields& fields)
{
    if (value.isObject()) {
        const QJsonObject object = value.toObject();
        for (auto it = object.begin(); it != object.end(); ++it)
            collect(it.value(), path.isEmpty() ? it.key() : path + QLatin1Char('.') + it.key(), fields);
    } else if (value.isArray()) {
        const QJsonArray array = value.toArray();
        for (qsizetype i = 0; i < array.size(); ++i)
            collect(array[i], QStringLiteral("%1[%2]").arg(path).arg(i), fields);
    } else {
        fields[path] = oneLine(value.isDouble() ? QString::number(value.toDouble(), 'g', 12)
                                                : value.toVariant().toString());
    }
}

} // namespace

SpecFields specFields(const QString& specText)
{
    SpecFields fields;
    collect(QJsonDocument::fromJson(specText.toUtf8()).object(), {}, fields);
    fields.erase(QStringLiteral("name"));
    return fields;
}

bool isSeed(const QString& path)
{
    return path.section(QLatin1Char('.'), -1) == QLatin1String("seed");
}

} // namespace trainyard
