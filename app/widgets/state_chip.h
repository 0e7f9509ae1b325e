#pragma once

#include <QFrame>

#include "app/base/tone.h"

class QLabel;

namespace trainyard {

/// A short state as a pill: shape, word in its tone, and subject. Hidden while empty.
class StateChip : public QFrame {
    Q_OBJECT
public:
    explicit StateChip(const QString& accessibleName, QWidget* parent = nullptr);

    void setState(Tone tone, QChar shape, const QString& word, const QString& subject = {});
    void clear();

protected:
    void changeEvent(QEvent* event) override;

private:
    void recolour();

    Tone m_tone = Tone::Plain;
    QString m_name;
    QLabel* m_word;
    QLabel* m_subject;
};

} // namespace trainyard
