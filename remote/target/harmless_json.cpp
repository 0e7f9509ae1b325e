#include "remote/target/harmless_json.h"

#include <algorithm>

#include <QJsonArray>

#include "engine/base/foreign_text.h"

namespace trainyard {

namespace {

/// Most texts are plain; those need no copy.
bool isPlain(const QString& text)
{
    return std::all_of(text.begin(), text.end(), [](QChar c) { return c >= u' ' && c < u'\x7f'; });
}

QString harmless(const QString& text)
{
    return isPlain(text) ? text : QString::fromStdString(harmlessText(text.toStdString(), Lines::Many));
}

QJsonValue harmless(const QJsonValue& value)
{
    if (value.isString())
        return harmless(value.toString());
    if (value.isObject())
        return harmlessJson(value.toObject());
    if (!value.isArray())
        return value;
    QJsonArray entries;
    for (const auto& entry : value.toArray())
        entries.append(harmless(QJsonValue(entry)));
    return entries;
}

} // namespace

QJsonObject harmlessJson(const QJsonObject& message)
{
    QJsonObject clean;
    for (auto member = message.begin(); member != message.end(); ++member)
        clean.insert(harmless(member.key()), harmless(QJsonValue(member.value())));
    return clean;
}

} // namespace trainyard
