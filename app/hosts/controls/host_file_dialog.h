#pragma once

#include <QDialog>

#include "app/hosts/controls/choose_path.h"
#include "remote/launch/run_service.h"

class QLabel;
class QLineEdit;
class QListWidget;
class QPushButton;

namespace trainyard {

/// A dialog to choose files and folders of a host, like the system's dialog for this machine.
class HostFileDialog : public QDialog {
    Q_OBJECT
public:
    HostFileDialog(RunService& runs, const PathQuestion& question, QWidget* parent = nullptr);

signals:
    /// Full paths, sorted by name.
    void chosen(const QStringList& paths);

protected:
    void keyPressEvent(QKeyEvent* event) override;

private:
    void go(const QString& folder);
    void onListed(const QString& folder, const Result<HostFolder>& listed);
    void onActivated();
    void updateButtons();
    void accept() override;
    QString pathOf(const QString& name) const;
    QStringList selectedPaths() const;

    RunService& m_runs;
    PathQuestion m_question;
    QString m_folder; ///< shown now
    QLineEdit* m_path;
    QListWidget* m_list;
    QLabel* m_note;
    QPushButton* m_choose;
};

} // namespace trainyard
