#pragma once

#include <QTimer>

#include "app/data/model/data_set_inspector.h"
#include "app/report/report_document.h"
#include "app/report/report_template.h"
#include "app/workspace/page.h"

class QStackedWidget;

namespace trainyard {

class DataSetListModel;
struct DataSetEntry;
class ExportPanel;
class HardwareLibrary;
class PageFrame;
class PagePreview;
class RunStore;
class RunService;
class SubjectPicker;

/// The page "Reports": template and subjects on the left, the preview in the middle, export on the right.
class ReportsPage : public Page {
    Q_OBJECT

public:
    /// All must outlive the page.
    struct Parts {
        RunStore& store;
        const HardwareLibrary& hardware;
        DataSetListModel& dataSets;
        RunService& runs; ///< for data sets on hosts
    };
    explicit ReportsPage(const Parts& parts, QWidget* parent = nullptr);

    void activate() override;
    /// Reads the chosen runs again, as live ones have new records.
    void refresh() override;
    void setChosen(const QStringList& runIds);
    void setPattern(std::optional<ReportTemplate> pattern);
    /// Writes the shown report and reports the result in the page.
    void exportTo(const QString& file);
    /// Writes all formats, as `base` plus ending.
    void exportAll(const QString& base);

signals:
    void designRequested();

private:
    QWidget* buildSplit();
    void askAndExport(const QString& format);
    void tellSaved(const QString& what, const QString& opened);
    void tellWork();
    void build();
    void buildOfDataSet(const DataSetEntry& entry);
    void showDataSet(const DataSetFindings& findings);
    void checkRows(const QString& host, const QString& folder);
    void showReport(const Result<ReportDocument>& document, const QString& subjects);
    void showNothing();
    void showPage();
    QString suggestedName() const;

    RunStore& m_store;
    const HardwareLibrary& m_hardware;
    DataSetListModel& m_dataSets;
    DataSetInspector m_inspector;
    ReportDocument m_document;
    PageFrame* m_frame;
    QStackedWidget* m_pages;
    QStackedWidget* m_middle;
    SubjectPicker* m_subjects;
    PagePreview* m_preview;
    ExportPanel* m_export;
    QTimer m_due; ///< ticking several runs in a row builds one report
};

} // namespace trainyard
