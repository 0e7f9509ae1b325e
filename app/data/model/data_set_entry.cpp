#include "app/data/model/data_set_entry.h"

#include <QCoreApplication>

#include "engine/spec/names.h"
#include "remote/launch/data_set_manifest.h"

namespace trainyard {

DataSetShape DataSetEntry::shape() const
{
    return {vocabularySize, sequenceLength, rows - testRows, paddingShare,   objective,
            nextSentence,   testRows,       labels,          maxPredictions, vocabularySha256};
}

QString nameOf(DataSetEntry::Check check)
{
    switch (check) {
    case DataSetEntry::Check::NotVerified:
        return QCoreApplication::translate("DataSetEntry", "○ not verified");
    case DataSetEntry::Check::Verifying:
        return QCoreApplication::translate("DataSetEntry", "◔ verifying");
    case DataSetEntry::Check::Verified:
        return QCoreApplication::translate("DataSetEntry", "✓ verified");
    case DataSetEntry::Check::Damaged:
        break;
    }
    return QCoreApplication::translate("DataSetEntry", "✕ damaged");
}

QString taskTextOf(const DataSetEntry& entry)
{
    switch (enumFromName<TaskKind>(entry.objective).value_or(TaskKind::None)) {
    case TaskKind::None:
        return {};
    case TaskKind::Classify:
        return QCoreApplication::translate("DataSetEntry", "%1 classes").arg(entry.labels);
    case TaskKind::Regress:
        return QCoreApplication::translate("DataSetEntry", "numbers");
    case TaskKind::Tag:
        return QCoreApplication::translate("DataSetEntry", "%1 tags").arg(entry.labels);
    case TaskKind::Answer:
        return QCoreApplication::translate("DataSetEntry", "questions");
    case TaskKind::Complete:
        return QCoreApplication::translate("DataSetEntry", "completions");
    }
    return {};
}

DataSetEntry withManifest(DataSetEntry entry, const DataSetManifest& manifest)
{
    entry.tokens = manifest.tokens;
    entry.rows = manifest.trainingRows + manifest.testRows;
    entry.testRows = manifest.testRows;
    entry.shards = manifest.shards;
    entry.sequenceLength = manifest.sequenceLength;
    entry.maxPredictions = manifest.maxPredictions;
    entry.vocabularySize = manifest.vocabularySize;
    entry.paddingShare = manifest.paddingShare();
    entry.objective = manifest.objective;
    entry.labels = manifest.labels;
    entry.documents = manifest.documents;
    entry.nextSentence = manifest.nextSentence;
    entry.vocabularySha256 = manifest.vocabularySha256.toStdString();
    return entry;
}

} // namespace trainyard
