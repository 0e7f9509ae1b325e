#pragma once

#include <QFrame>
#include <QStringList>

class QLineEdit;

namespace trainyard {

class ChoiceBox;
class RunService;

/// Asks for the folder of a finished data set and for the host whose disk it is on. Hidden until ask().
class AddDataSetBar : public QFrame {
    Q_OBJECT
public:
    /// `runs` reaches the hosts whose folders are looked at.
    explicit AddDataSetBar(RunService& runs, QWidget* parent = nullptr);

    /// Shows the bar, empty, with the focus in the folder's field.
    void ask(const QStringList& hosts);

signals:
    void folderNamed(const QString& host, const QString& folder);

protected:
    void keyPressEvent(QKeyEvent* event) override;

private:
    QString host() const;
    void choose();
    void submit();

    RunService& m_runs;
    ChoiceBox* m_host;
    QLineEdit* m_folder;
};

} // namespace trainyard
