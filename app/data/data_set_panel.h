#pragma once

#include <vector>

#include <QByteArray>
#include <QWidget>

#include "app/data/model/data_set_details.h"
#include "app/data/model/data_set_entry.h"

class QLabel;
class QPushButton;
class QTabWidget;

namespace trainyard {

class ElidedLabel;
class FactTable;
class LengthChart;
class SampleBrowser;

/// One data set: sizes, actions, sample rows as words, row lengths, filtered text and the manifest.
class DataSetPanel : public QWidget {
    Q_OBJECT
public:
    explicit DataSetPanel(QWidget* parent = nullptr);

    void showDataSet(const DataSetEntry& entry);
    SampleBrowser& samples() { return *m_samples; }
    /// Shows the manifest's details; the sizes remain those of the entry.
    void showDetails(const DataSetDetails& details);
    /// Adds the statistics counted by a verification, until the next showDetails().
    void addStatistics(const TextTable& more);
    /// Shows `note` instead of details, e.g. why they are missing.
    void setDetailsNote(const QString& note);
    QTabWidget* tabs() const { return m_tabs; }

signals:
    void verifyRequested();
    /// Progress of the running verification.
    void cancelRequested();
    void useRequested();
    void removeRequested();

private:
    QWidget* makeFigures();
    void addTabs();
    void showStatistics();
    QWidget* makeLengths();
    QWidget* makeManifest();

    ElidedLabel* m_name;
    ElidedLabel* m_folder;
    QPushButton* m_verify;
    bool m_verifying = false;
    std::vector<QLabel*> m_figures;
    QTabWidget* m_tabs;
    SampleBrowser* m_samples;
    LengthChart* m_lengths;
    FactTable* m_statistics;
    FactTable* m_counters;
    FactTable* m_settings;
    FactTable* m_shards;
    QLabel* m_note; ///< why there is no manifest
    QPushButton* m_copy;
    QByteArray m_manifest;
    TextTable m_told;    ///< statistics in the manifest
    TextTable m_counted; ///< statistics counted by a verification
};

} // namespace trainyard
