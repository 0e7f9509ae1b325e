#include "app/models/data_set_list_model.h"

#include <algorithm>

#include <nlohmann/json.hpp>

#include "app/models/display_text.h"
#include "engine/base/file.h"

namespace trainyard {

namespace {

constexpr int kVersion = 1;

nlohmann::ordered_json toJson(const DataSetEntry& entry)
{
    nlohmann::ordered_json json{{"name", entry.name.toStdString()},
                                {"host", entry.host.toStdString()},
                                {"folder", entry.folder.toStdString()},
                                {"tokens", entry.tokens},
                                {"rows", entry.rows},
                                {"test_rows", entry.testRows},
                                {"shards", entry.shards},
                                {"sequence_length", entry.sequenceLength},
                                {"max_predictions", entry.maxPredictions},
                                {"objective", entry.objective},
                                {"next_sentence", entry.nextSentence},
                                {"vocabulary_size", entry.vocabularySize},
                                {"verified", entry.check == DataSetEntry::Check::Verified}};
    if (entry.paddingShare)
        json["padding_share"] = *entry.paddingShare;
    return json;
}

QString textAt(const nlohmann::json& json, const char* key)
{
    return QString::fromStdString(json.at(key).get<std::string>());
}

DataSetEntry fromJson(const nlohmann::json& json)
{
    DataSetEntry entry;
    entry.name = textAt(json, "name");
    entry.host = textAt(json, "host");
    entry.folder = textAt(json, "folder");
    json.at("tokens").get_to(entry.tokens);
    json.at("rows").get_to(entry.rows);
    json.at("test_rows").get_to(entry.testRows);
    json.at("shards").get_to(entry.shards);
    json.at("sequence_length").get_to(entry.sequenceLength);
    json.at("max_predictions").get_to(entry.maxPredictions);
    entry.objective = json.value("objective", entry.objective);
    entry.nextSentence = json.value("next_sentence", entry.nextSentence);
    json.at("vocabulary_size").get_to(entry.vocabularySize);
    if (json.contains("padding_share"))
        entry.paddingShare = json["padding_share"].get<double>();
    if (json.at("verified").get<bool>())
        entry.check = DataSetEntry::Check::Verified;
    return entry;
}

} // namespace

int DataSetListModel::rowCount(const QModelIndex& parent) const
{
    return parent.isValid() ? 0 : static_cast<int>(m_entries.size());
}

QVariant DataSetListModel::data(const QModelIndex& index, int role) const
{
    if (!checkIndex(index, CheckIndexOption::IndexIsValid))
        return {};
    const DataSetEntry& entry = at(index.row());
    switch (role) {
    case Qt::DisplayRole:
        return oneLine(entry.name);
    case Qt::ToolTipRole:
        return toolTipOf(QStringLiteral("%1:%2").arg(entry.host, entry.folder));
    case Qt::AccessibleTextRole:
        return tr("%1 on %2, %3 rows, %4")
            .arg(entry.name, entry.host)
            .arg(entry.rows)
            .arg(nameOf(entry.check));
    case kEntryRole:
        return QVariant::fromValue(entry);
    default:
        return {};
    }
}

int DataSetListModel::rowOf(const QString& host, const QString& folder) const
{
    const auto found = std::find_if(m_entries.begin(), m_entries.end(), [&](const DataSetEntry& entry) {
        return entry.host == host && entry.folder == folder;
    });
    return found == m_entries.end() ? -1 : static_cast<int>(found - m_entries.begin());
}

void DataSetListModel::put(const DataSetEntry& entry, int row)
{
    const int known = rowOf(entry.host, entry.folder);
    if (known >= 0) {
        m_entries[static_cast<std::size_t>(known)] = entry;
        emit dataChanged(index(known), index(known));
    } else {
        row = std::clamp(row, 0, rowCount());
        beginInsertRows({}, row, row);
        m_entries.insert(m_entries.begin() + row, entry);
        endInsertRows();
    }
    emit entriesChanged();
}

DataSetEntry DataSetListModel::remove(int row)
{
    beginRemoveRows({}, row, row);
    DataSetEntry entry = at(row);
    m_entries.erase(m_entries.begin() + row);
    endRemoveRows();
    emit entriesChanged();
    return entry;
}

void DataSetListModel::setCheck(const QString& host, const QString& folder, DataSetEntry::Check check,
                                const QString& problem)
{
    const int row = rowOf(host, folder);
    if (row < 0)
        return; // removed meanwhile
    DataSetEntry& entry = m_entries[static_cast<std::size_t>(row)];
    entry.check = check;
    entry.problem = problem;
    emit dataChanged(index(row), index(row));
    emit entriesChanged();
}

Status DataSetListModel::load(const std::filesystem::path& file)
{
    if (!std::filesystem::exists(file))
        return {};
    TRAINYARD_TRY(const std::string text, readFile(file));
    std::vector<DataSetEntry> entries;
    try {
        const auto json = nlohmann::json::parse(text);
        if (json.at("version").get<int>() != kVersion)
            return badInput(file.string() + ": is of another version");
        for (const auto& item : json.at("data_sets"))
            entries.push_back(fromJson(item));
    } catch (const nlohmann::json::exception& problem) {
        return badInput(file.string() + ": " + problem.what(),
                        "move the file away and add the data sets again");
    }
    beginResetModel();
    m_entries = std::move(entries);
    endResetModel();
    return {};
}

Status DataSetListModel::save(const std::filesystem::path& file) const
{
    nlohmann::ordered_json json{{"version", kVersion}, {"data_sets", nlohmann::json::array()}};
    for (const DataSetEntry& entry : m_entries)
        json["data_sets"].push_back(toJson(entry));
    TRAINYARD_TRY_STATUS(makeFolder(file.parent_path()));
    return writeFileAtomically(file, json.dump(2) + "\n");
}

} // namespace trainyard
