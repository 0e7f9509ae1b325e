#pragma once

#include <QObject>

#include "app/designer/model/spec_document.h"
#include "engine/spec/foreign/foreign_settings.h"

class QPushButton;

namespace trainyard {

class MessageStrip;

/// Takes settings of DeepSpeed, Megatron-LM and SageMaker into the document, and writes it as theirs. What
/// has no counterpart is listed in the strip of the place.
class SettingsExchange : public QObject {
    Q_OBJECT
public:
    SettingsExchange(SpecDocument& document, MessageStrip& strip, QWidget* parent);

    /// With a menu of the tools; the caller places it.
    QPushButton* makeExportButton();
    /// A file dialog's filters, of which each tool has one.
    static QStringList filters();
    static std::optional<ForeignTool> toolOfFilter(const QString& filter);

    /// One undo step over what the document is: it gives what the settings cannot say.
    void importFile(ForeignTool tool, const QString& file);
    void exportFile(ForeignTool tool, const QString& file);

private:
    void askForExport(ForeignTool tool);
    void tell(const QString& sentence, const Omissions& omissions);

    SpecDocument& m_document;
    MessageStrip& m_strip;
    QWidget* m_window;
};

} // namespace trainyard
