#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include <QString>

#include "app/data/model/data_set_list_model.h"
#include "app/data/model/local_data_sets.h"
#include "app/plan/planned_run.h"
#include "engine/spec/run_spec.h"

namespace trainyard {

/// What is known here of the data sets that a specification names: from the list, and from manifests in
/// folders of this machine where the specification has ranks on it. Specifications are those of a run without
/// phases, or of one phase. GUI thread.
class KnownDataSets {
public:
    /// The list must outlive it.
    explicit KnownDataSets(const DataSetListModel& list) : m_list(list) {}

    const DataSetListModel& list() const { return m_list; }

    /// Returns the data set in that folder; null if its manifest is unknown. Valid until the list or the
    /// manifest changes.
    const DataSetEntry* find(const std::string& folder, const RunSpec& spec) const;
    /// Returns the data set in that folder of this machine; null if it has no readable manifest.
    const DataSetEntry* findHere(const QString& folder) const { return m_folders.find(folder); }
    /// Returns folders of listed data sets for BERT with rows of these lengths, one each; empty if the list
    /// lacks one of them.
    std::vector<std::string> foldersFor(const std::vector<int>& sequenceLengths) const;

    /// Returns the shape of each data set of the run, in the order of dataset.sets(); empty if one of them is
    /// unknown.
    std::vector<DataSetShape> shapes(const RunSpec& spec) const;
    /// Returns the rows of all of them together (mixedShape()).
    std::optional<DataSetShape> rows(const RunSpec& spec) const;
    /// Returns the sequences of the rows, or those of the model's maximum length.
    SequenceShape sequences(const RunSpec& spec) const;
    /// Returns the test rows of what is evaluated: evaluation.dataset, or the run's data sets.
    std::optional<std::uint64_t> testRows(const RunSpec& spec) const;
    /// "Sequences of 512 tokens. Evaluates on ..."
    QString facts(const RunSpec& spec) const;

private:
    const DataSetListModel& m_list;
    mutable LocalDataSets m_folders; ///< a cache
};

} // namespace trainyard
