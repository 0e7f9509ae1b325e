#pragma once

#include <QWidget>

#include "app/models/data_set_entry.h"
#include "app/models/sample_rows.h"

class QLabel;
class QPushButton;

namespace trainyard {

class SampleBrowser;

/// One data set: its figures, what can be done with it, and its rows as words.
class DataSetPanel : public QWidget {
    Q_OBJECT
public:
    explicit DataSetPanel(QWidget* parent = nullptr);

    void showDataSet(const DataSetEntry& entry);
    SampleBrowser& samples() { return *m_samples; }

signals:
    void verifyRequested();
    void useRequested();
    void removeRequested();

private:
    QWidget* makeFigures();

    QLabel* m_name;
    QLabel* m_folder;
    QPushButton* m_verify;
    std::vector<QLabel*> m_figures;
    SampleBrowser* m_samples;
};

} // namespace trainyard
