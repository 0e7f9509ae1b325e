#pragma once

#include <QWidget>

class QLabel;

namespace trainyard {

/// Shown on an empty page: one sentence about its purpose, and the one next step.
class EmptyState : public QWidget {
    Q_OBJECT
public:
    EmptyState(const QString& icon, const QString& heading, const QString& sentence, const QString& action,
               QWidget* parent = nullptr);

signals:
    void actionRequested();

protected:
    void changeEvent(QEvent* event) override;

private:
    void updatePicture();

    QString m_icon;
    QLabel* m_picture;
};

} // namespace trainyard
