#include "app/data/model/data_set_list_model.h"

#include <algorithm>

#include <nlohmann/json.hpp>

#include "app/base/display_text.h"
#include "engine/spec/field_reader.h"
#include "remote/target/desk_file.h"

namespace trainyard {

namespace {

constexpr int kVersion = 1;

/// Calls visit(key, member) for the figures of the manifest that every entry has, so that reading and writing
/// cannot drift apart.
template <typename Entry, typename Visit>
void visitFigures(Entry& entry, Visit visit)
{
    visit("tokens", entry.tokens);
    visit("rows", entry.rows);
    visit("test_rows", entry.testRows);
    visit("shards", entry.shards);
    visit("sequence_length", entry.sequenceLength);
    visit("max_predictions", entry.maxPredictions);
    visit("vocabulary_size", entry.vocabularySize);
}

nlohmann::ordered_json toJson(const DataSetEntry& entry)
{
    nlohmann::ordered_json json{{"name", entry.name.toStdString()},
                                {"host", entry.host.toStdString()},
                                {"folder", entry.folder.toStdString()}};
    visitFigures(entry, [&](const char* key, const auto& member) { json[key] = member; });
    json["objective"] = entry.objective;
    json["next_sentence"] = entry.nextSentence;
    json["labels"] = entry.labels;
    json["documents"] = entry.documents;
    json["vocabulary_sha256"] = entry.vocabularySha256;
    json["verified"] = entry.check == DataSetEntry::Check::Verified;
    if (entry.paddingShare)
        json["padding_share"] = *entry.paddingShare;
    return json;
}

/// Reads what every entry has.
template <typename Value>
void readNeeded(FieldReader& reader, const char* key, Value& value)
{
    reader.read(key, value);
    if (!reader.has(key))
        reader.complain(key, "is missing", {});
}

QString neededText(FieldReader& reader, const char* key)
{
    std::string text;
    readNeeded(reader, key, text);
    return QString::fromStdString(text);
}

DataSetEntry readEntry(FieldReader& reader)
{
    DataSetEntry entry;
    entry.name = neededText(reader, "name");
    entry.host = neededText(reader, "host");
    entry.folder = neededText(reader, "folder");
    visitFigures(entry, [&](const char* key, auto& member) { readNeeded(reader, key, member); });
    reader.read("objective", entry.objective);
    reader.read("next_sentence", entry.nextSentence);
    reader.read("labels", entry.labels);
    reader.read("documents", entry.documents);
    reader.read("vocabulary_sha256", entry.vocabularySha256);
    if (reader.has("padding_share"))
        reader.read("padding_share", entry.paddingShare.emplace());
    bool isVerified = false;
    readNeeded(reader, "verified", isVerified);
    entry.check = isVerified ? DataSetEntry::Check::Verified : DataSetEntry::Check::NotVerified;
    return entry;
}

Result<std::vector<DataSetEntry>> parseDataSets(std::string_view text)
{
    TRAINYARD_TRY(const nlohmann::json json, parseDeskJson(text, kVersion));
    const auto list = json.find("data_sets");
    if (list == json.end() || !list->is_array())
        return badInput("data_sets: must be a list");
    std::vector<DataSetEntry> entries;
    Diagnostics problems;
    for (std::size_t i = 0; i < list->size(); ++i) {
        FieldReader reader((*list)[i], "data_sets[" + std::to_string(i) + "]", problems);
        entries.push_back(readEntry(reader));
    }
    return problems.empty() ? Result<std::vector<DataSetEntry>>(std::move(entries)) : toError(problems);
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
        return taskTextOf(entry).isEmpty() ? tr("%1 on %2, %3 rows, %4")
                                                 .arg(entry.name, entry.host)
                                                 .arg(entry.rows)
                                                 .arg(nameOf(entry.check))
                                           : tr("%1 on %2, %3 examples, %4, %5")
                                                 .arg(entry.name, entry.host)
                                                 .arg(entry.documents)
                                                 .arg(taskTextOf(entry), nameOf(entry.check));
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
    TRAINYARD_TRY(std::vector<DataSetEntry> entries, readDeskFile(file, parseDataSets));
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
    return writeDeskFile(file, json.dump(2) + "\n", parseDataSets);
}

} // namespace trainyard
