#pragma once

#include <QFrame>
#include <QList>

#include "app/alerts/alert_settings.h"

class QCheckBox;
class QDoubleSpinBox;
class QLabel;

namespace trainyard {

/// The alert thresholds, which apply to all runs.
class AlertForm : public QFrame {
    Q_OBJECT

public:
    explicit AlertForm(QWidget* parent = nullptr);

    /// Does not emit changed().
    void setSettings(const AlertSettings& settings);
    /// Shows why the settings could not be saved; empty hides it.
    void setProblem(const QString& problem);

signals:
    /// Emitted on changes by the user only.
    void changed(const trainyard::AlertSettings& settings);

private:
    AlertSettings settings() const;
    void emitChanged();

    QList<QDoubleSpinBox*> m_boxes; ///< in the order of thresholdFields()
    QCheckBox* m_notifies;
    QLabel* m_problem;
};

} // namespace trainyard
