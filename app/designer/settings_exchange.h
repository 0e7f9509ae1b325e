#pragma once

#include <QObject>

#include "app/designer/model/spec_document.h"
#include "engine/spec/foreign/foreign_settings.h"

class QPushButton;

namespace trainyard {

class MessageBar;

/// Imports settings of DeepSpeed, Megatron-LM and SageMaker into the document and exports it to them. Lists
/// settings without a counterpart in the page's message bar.
class SettingsExchange : public QObject {
    Q_OBJECT
public:
    SettingsExchange(SpecDocument& document, MessageBar& messages, QWidget* parent);

    /// Has a menu of the tools; the caller places it.
    QPushButton* makeExportButton();
    /// File dialog filters, one per tool.
    static QStringList filters();
    static std::optional<ForeignTool> toolOfFilter(const QString& filter);

    /// Applies the settings to the current document in one undo step; fields they do not cover keep their
    /// values.
    void importFile(ForeignTool tool, const QString& file);
    void exportFile(ForeignTool tool, const QString& file);

private:
    void askForExport(ForeignTool tool);
    void report(const QString& sentence, const Omissions& omissions);

    SpecDocument& m_document;
    MessageBar& m_messages;
    QWidget* m_window;
};

} // namespace trainyard
