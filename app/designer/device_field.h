#pragma once

#include <QToolButton>

#include "app/designer/model/device_choices.h"

class QMenu;

namespace trainyard {

/// Chooses the GPUs of one host: a button that shows the choice and opens a list with check boxes.
class DeviceField : public QToolButton {
    Q_OBJECT
public:
    explicit DeviceField(QWidget* parent = nullptr);

    /// `hint`: shown where there is nothing to choose.
    void show(const std::vector<GpuChoice>& choices, const QString& hint);

signals:
    /// Empty = any.
    void chosen(const std::vector<std::string>& devices);

private:
    void fill();

    QMenu* m_menu;
    std::vector<GpuChoice> m_choices;
    QString m_hint;
};

} // namespace trainyard
