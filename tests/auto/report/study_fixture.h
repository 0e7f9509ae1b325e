#pragma once

#include <memory>

#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>
#include <QTemporaryDir>

#include "app/plan/hardware_library.h"
#include "app/report/data_set_report.h"
#include "app/report/report_builder.h"
#include "tests/support/sample_run/sample_run.h"

namespace trainyard {

inline const ReportSection* sectionOf(const ReportDocument& document, const QString& title)
{
    for (const ReportSection& section : document.sections) {
        if (section.title == title)
            return &section;
    }
    return nullptr;
}

template <typename Block>
QList<Block> blocksOf(const ReportSection& section)
{
    QList<Block> found;
    for (const ReportBlock& block : section.blocks) {
        if (const auto* typed = std::get_if<Block>(&block))
            found << *typed;
    }
    return found;
}

/// The JSON paths in the last column of a table of settings.
inline QStringList fieldsIn(const ReportTable& table)
{
    QStringList fields;
    for (const QStringList& row : table.rows)
        fields << row.back();
    return fields;
}

/// Two runs of one model, on one rank and on two, and the report on both.
class StudyFixture {
public:
    StudyFixture()
    {
        support::SampleRun two;
        two.steps = two.reached = 120;
        two.hardware = "cpu-node";
        two.rowLength = 128;
        support::SampleRun one = two;
        one.name = "bert-tiny-1r";
        one.id = "20261121T090000Z-bert-tiny-1r-aaaa";
        one.worldSize = 1;
        one.secondsPerStep = 0.8;
        m_two = support::writeSampleRun(m_folder.path(), two);
        m_one = support::writeSampleRun(m_folder.path(), one);
        m_study =
            std::make_unique<ReportDocument>(buildReport(QStringList{m_one, m_two}, m_hardware).value());
    }

protected:
    QTemporaryDir m_folder;
    HardwareLibrary m_hardware{m_folder.filePath("hardware").toStdString()};
    QString m_one; ///< folder
    QString m_two; ///< folder
    std::unique_ptr<ReportDocument> m_study;
};

/// What was found of a data set on a host.
inline DataSetFindings dataSetFindings()
{
    DataSetFindings findings{"gpu-03", "/data/wiki-128", {}};
    const QJsonObject manifest{
        {"version", 1},
        {"sequence_length", 128},
        {"max_predictions", 20},
        {"vocabulary_size", 30522},
        {"vocabulary_sha256", "07eced37"},
        {"seed", 12345},
        {"settings", QJsonObject{{"dumps", QJsonArray{"wiki \"latest\" <1>.bz2"}}, {"dupe_factor", 5}}},
        {"statistics",
         QJsonObject{{"documents", 105}, {"tokens", 527681}, {"length_histogram", QJsonArray{0, 1, 2, 7}}}},
        {"shards",
         QJsonArray{QJsonObject{{"file", "a.hdf5"}, {"rows", 10}, {"sha256", "ab12"}, {"training", true}}}}};
    findings.details = readDataSetDetails(QJsonDocument(manifest).toJson()).value();
    SampleRow row{"a.hdf5",
                  7,
                  true,
                  {{"the", {}, 0},
                   {"[MASK]", "train", 0},
                   {"depart", {}, 0},
                   {"##s", {}, 0},
                   {"at", {}, 1},
                   {"noon", {}, 1}}};
    findings.rows = VerifyReport{true, {}, {}, {row}};
    return findings;
}

inline ReportDocument dataSetReport()
{
    return buildDataSetReport(dataSetFindings());
}

} // namespace trainyard
