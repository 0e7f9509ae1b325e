#include "app/designer/model/known_data_sets.h"

#include <algorithm>

#include <QCoreApplication>

#include "app/base/display_text.h"
#include "app/base/this_machine.h"
#include "app/plan/evaluation_summary.h"
#include "engine/spec/phases/data_mix_rules.h"

namespace trainyard {

namespace {

/// A path of a specification is one of its hosts: only then may it be looked up here.
bool hasRanksHere(const RunSpec& spec)
{
    return std::ranges::any_of(spec.cluster.nodes,
                               [](const NodeSpec& node) { return node.host == thisMachine().toStdString(); });
}

template <typename Match>
const DataSetEntry* firstOf(const DataSetListModel& list, const Match& matches)
{
    for (int row = 0; row < list.rowCount(); ++row) {
        if (matches(list.at(row)))
            return &list.at(row);
    }
    return nullptr;
}

} // namespace

const DataSetEntry* KnownDataSets::find(const std::string& folder, const RunSpec& spec) const
{
    const QString path = QString::fromStdString(folder);
    const DataSetEntry* listed = firstOf(
        m_list, [&](const DataSetEntry& entry) { return entry.folder == path && entry.hasManifest(); });
    if (listed)
        return listed;
    return hasRanksHere(spec) ? findHere(path) : nullptr;
}

std::vector<std::string> KnownDataSets::foldersFor(const std::vector<int>& sequenceLengths) const
{
    std::vector<std::string> folders;
    for (const int length : sequenceLengths) {
        const DataSetEntry* found = firstOf(m_list, [&](const DataSetEntry& entry) {
            return entry.sequenceLength == length && entry.objective == "bert";
        });
        if (!found)
            return {};
        folders.push_back(found->folder.toStdString());
    }
    return folders;
}

std::vector<DataSetShape> KnownDataSets::shapes(const RunSpec& spec) const
{
    std::vector<DataSetShape> shapes;
    for (const MixedDataSet& set : spec.dataset.sets()) {
        const DataSetEntry* entry = find(set.path, spec);
        if (!entry)
            return {};
        shapes.push_back(entry->shape());
    }
    return shapes;
}

std::optional<DataSetShape> KnownDataSets::rows(const RunSpec& spec) const
{
    const std::vector<DataSetShape> known = shapes(spec);
    return known.empty() ? std::nullopt : std::optional(mixedShape(spec.dataset, known));
}

SequenceShape KnownDataSets::sequences(const RunSpec& spec) const
{
    const std::vector<DataSetShape> known = shapes(spec);
    return known.empty() ? sequencesOf(spec.model.maxPositions)
                         : SequenceShape{known.front().sequenceLength, known.front().maxPredictions};
}

std::optional<std::uint64_t> KnownDataSets::testRows(const RunSpec& spec) const
{
    if (spec.evaluation.dataset.empty()) {
        const auto own = rows(spec);
        return own ? own->testRows : std::nullopt;
    }
    const DataSetEntry* evaluated = find(spec.evaluation.dataset, spec);
    return evaluated ? std::optional(evaluated->testRows) : std::nullopt;
}

QString KnownDataSets::facts(const RunSpec& spec) const
{
    const QString length = displayCount(sequences(spec).length);
    const QString text =
        shapes(spec).empty()
            ? QCoreApplication::translate(
                  "KnownDataSets",
                  "Sequences of %1 tokens, the model's maximum: the data set is not known here.")
                  .arg(length)
            : QCoreApplication::translate("KnownDataSets", "Sequences of %1 tokens.").arg(length);
    const auto held = testRows(spec);
    return held ? text + QLatin1Char(' ') + evaluationSummary(spec, held) : text;
}

} // namespace trainyard
