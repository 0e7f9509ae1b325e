#pragma once

#include <memory>
#include <optional>
#include <vector>

#include <QObject>

#include "app/base/pool_work.h"
#include "app/exchange/csv_table.h"

class QMenu;
class QPoint;
class QWidget;

namespace trainyard {

class HistoryImport;
class MessageBar;
class RunStore;

/// Imports runs of other tools into the history: asks for files and the columns of a table, reads in another
/// thread, and reports progress and result in the message bar.
class RunImporter : public QObject {
    Q_OBJECT

public:
    /// Store, message bar and window must outlive it.
    RunImporter(RunStore& store, MessageBar& messages, QWidget& window);

    void showMenu(const QPoint& place);
    /// Adds what can be imported.
    void fillMenu(QMenu& menu);
    /// A folder with event files.
    void importFolder(const QString& folder);
    /// Asks for the columns to import, then reads the file.
    void importTable(const QString& file);

signals:
    /// The first imported run, once all are in the history.
    void imported(const QString& runId);

private:
    struct Outcome {
        std::shared_ptr<HistoryImport> import;
        QStringList warnings;
        std::optional<Error> error;
    };
    using Table = std::shared_ptr<const Result<CsvTable>>;

    void readTable(const QString& file);
    void askForColumns(const QString& file, const Table& table);
    void start(const QString& what, LatestJob<Outcome>::Work work);
    void finish(const Outcome& outcome);
    void report(const QStringList& runIds, const QStringList& warnings);
    void showProgress(double share);

    RunStore& m_store;
    MessageBar& m_messages;
    QWidget& m_window;
    QString m_what; ///< source being read
    LatestJob<Outcome> m_job;
    QString m_tableFile;
    LatestJob<Table> m_table;
};

} // namespace trainyard
