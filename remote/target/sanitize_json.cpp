#include "remote/target/sanitize_json.h"

#include <algorithm>

#include <QJsonArray>

#include "engine/base/untrusted_text.h"

namespace trainyard {

namespace {

/// Most texts are plain; those need no copy.
bool isPlain(const QString& text)
{
    return std::all_of(text.begin(), text.end(), [](QChar c) { return c >= u' ' && c < u'\x7f'; });
}

QString sanitize(const QString& text)
{
    return isPlain(text) ? text : QString::fromStdString(sanitizeText(text.toStdString(), Lines::Many));
}

QJsonValue sanitize(const QJsonValue& value)
{
    if (value.isString())
        return sanitize(value.toString());
    if (value.isObject())
        return sanitizeJson(value.toObject());
    if (!value.isArray())
        return value;
    QJsonArray entries;
    for (const auto& entry : value.toArray())
        entries.append(sanitize(QJsonValue(entry)));
    return entries;
}

} // namespace

QJsonObject sanitizeJson(const QJsonObject& message)
{
    QJsonObject clean;
    for (auto member = message.begin(); member != message.end(); ++member)
        clean.insert(sanitize(member.key()), sanitize(QJsonValue(member.value())));
    return clean;
}

} // namespace trainyard
