#pragma once

#include <QFrame>
#include <QStringList>

#include "engine/base/result.h"

class QLabel;
class QLineEdit;
class QStringListModel;

namespace trainyard {

/// Asks for a host name, with completion from the user's ssh configuration. Hidden until ask().
class AddHostBar : public QFrame {
    Q_OBJECT
public:
    explicit AddHostBar(QWidget* parent = nullptr);

    /// Shows the bar, empty, with the focus in its field.
    void ask(const QStringList& completions);
    /// Shows `error` below the field.
    void showError(const Error& error);

signals:
    void hostNamed(const QString& name);

protected:
    void keyPressEvent(QKeyEvent* event) override;

private:
    void submit();

    QLineEdit* m_name;
    QLabel* m_note;
    QStringListModel* m_completions;
};

} // namespace trainyard
