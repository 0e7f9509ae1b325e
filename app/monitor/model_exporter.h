#pragma once

#include <filesystem>
#include <functional>
#include <optional>

#include <QObject>
#include <QString>

#include "engine/base/result.h"

class QWidget;

namespace trainyard {

class MessageBar;
class OpenRun;
class RunStore;
struct ModelExportRequest;

/// Exports the model of a run in Hugging Face's format, or its low-rank adapters alone in PEFT's: asks for a
/// folder, shows size and origin before it starts, and reports progress and result in the message bar. One
/// export at a time.
class ModelExporter : public QObject {
    Q_OBJECT

public:
    /// Store, message bar and window must outlive it.
    ModelExporter(RunStore& store, MessageBar& messages, QWidget& window);

    /// `step`: of the checkpoint; nullopt = the newest complete one.
    void begin(const QString& runId, std::optional<qint64> step);
    /// Shows what would be exported to `folder`, and waits for a confirmation.
    void confirm(const QString& runId, std::optional<qint64> step, const QString& folder);

private:
    void start(const QString& runId, ModelExportRequest request);
    void showProgress(const QString& activity, double fraction);
    void finish(const Status& status);

    RunStore& m_store;
    MessageBar& m_messages;
    QWidget& m_window;
    QString m_folder; ///< being written; empty = none
    QString m_notice; ///< what the export noticed
    std::function<void()> m_cancel;
};

/// Returns why the model of a run cannot be exported; empty = it can.
QString whyNoModelExport(const OpenRun& run);

} // namespace trainyard
