#include "remote/target/keyring_index.h"

#include <algorithm>

#include <QJsonArray>
#include <QJsonDocument>
#include <nlohmann/json.hpp>

#include "engine/spec/bounded_json.h"
#include "remote/target/desk_file.h"

namespace trainyard {

namespace {

constexpr int kNewestKeyringVersion = 1; ///< a list without a number

Error noListOfNames()
{
    return badInput("it must hold a JSON list of names");
}

/// A newer version would write an object with its number, as the other files of the desk have it.
Error errorOfUnlisted(std::string_view text)
{
    const auto object = parseDeskJson(text, kNewestKeyringVersion);
    return object.ok() ? noListOfNames() : object.error();
}

Result<QSet<QString>> parseKeyringNames(std::string_view text)
{
    const auto list = parseBoundedJson(text);
    if (!list.ok() || list->is_object())
        return errorOfUnlisted(text);
    if (!list->is_array())
        return noListOfNames();
    QSet<QString> names;
    for (const nlohmann::json& name : *list) {
        if (!name.is_string())
            return noListOfNames();
        names.insert(QString::fromStdString(name.get<std::string>()));
    }
    return names;
}

} // namespace

KeyringIndex::KeyringIndex(std::filesystem::path file) : m_file(std::move(file))
{
    refresh();
}

const Status& KeyringIndex::refresh()
{
    auto names = readDeskFile<QSet<QString>>(m_file, parseKeyringNames);
    m_status = names.ok() ? Status() : Status(names.error());
    if (names.ok())
        m_names = std::move(names).value();
    return m_status;
}

Status KeyringIndex::add(const QString& name)
{
    refresh();
    m_names.insert(name);
    return write();
}

Status KeyringIndex::remove(const QString& name)
{
    refresh();
    return m_names.remove(name) ? write() : Status();
}

Status KeyringIndex::write()
{
    QStringList names(m_names.begin(), m_names.end());
    std::ranges::sort(names);
    const QByteArray json = QJsonDocument(QJsonArray::fromStringList(names)).toJson(QJsonDocument::Indented);
    const Status written = replaceDeskFile(m_file, json.toStdString(), m_status);
    if (written.ok())
        m_status = {};
    return written;
}

} // namespace trainyard
