#pragma once

#include <QTimer>

#include "app/report/report_document.h"
#include "app/widgets/place.h"

class QLabel;
class QPushButton;
class QStackedWidget;

namespace trainyard {

class HardwareLibrary;
class PageFrame;
class PagePreview;
class RunDesk;
class RunPicker;

/// The place "Reports": runs at the left, the pages of their report in the middle, export at the right.
class ReportsPlace : public Place {
    Q_OBJECT

public:
    /// Desk and library must outlive the place.
    ReportsPlace(RunDesk& desk, const HardwareLibrary& hardware, QWidget* parent = nullptr);

    void activate() override;
    /// Reads the chosen runs again: a live one has gone on.
    void refresh() override;
    void setChosen(const QStringList& runIds);
    /// Writes the report that is shown; the outcome is told in the place.
    void exportTo(const QString& file);

signals:
    void designRequested();

private:
    QWidget* buildSplit();
    QWidget* buildExport();
    QPushButton* addFormat(const QString& ending, const QString& title, const QString& use);
    void askAndExport(const QString& ending);
    void build();
    void showPage();
    QString suggestedName() const;

    RunDesk& m_desk;
    const HardwareLibrary& m_hardware;
    ReportDocument m_document;
    PageFrame* m_frame;
    QStackedWidget* m_pages;
    QStackedWidget* m_middle;
    RunPicker* m_picker;
    PagePreview* m_preview;
    QLabel* m_facts;
    QList<QPushButton*> m_formats;
    QTimer m_due; ///< ticking several runs in a row builds once
};

} // namespace trainyard
