#pragma once

#include <QFrame>
#include <QList>

#include "app/alerts/alert_settings.h"

class QCheckBox;
class QDoubleSpinBox;
class QLabel;

namespace trainyard {

/// When a figure counts as trouble, for all runs of this desk.
class AlertForm : public QFrame {
    Q_OBJECT

public:
    explicit AlertForm(QWidget* parent = nullptr);

    /// Without changed().
    void setSettings(const AlertSettings& settings);
    /// Why they are not kept; empty = they are.
    void setProblem(const QString& problem);

signals:
    /// By the user.
    void changed(const trainyard::AlertSettings& settings);

private:
    AlertSettings settings() const;
    void tell();

    QList<QDoubleSpinBox*> m_boxes; ///< in the order of thresholdFields()
    QCheckBox* m_notifies;
    QLabel* m_problem;
};

} // namespace trainyard
