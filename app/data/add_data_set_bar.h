#pragma once

#include <QFrame>
#include <QStringList>

class QLineEdit;

namespace trainyard {

class ChoiceBox;
class RunService;

/// Asks for the folder of an existing data set and the host it is on. Hidden until ask().
class AddDataSetBar : public QFrame {
    Q_OBJECT
public:
    /// `runs` connects to the hosts whose folders are listed.
    explicit AddDataSetBar(RunService& runs, QWidget* parent = nullptr);

    /// Shows the bar, cleared, with the focus in the folder field.
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
