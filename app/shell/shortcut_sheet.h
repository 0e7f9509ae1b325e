#pragma once

#include <QFrame>

#include "app/workspace/page.h"

class QHBoxLayout;

namespace trainyard {

/// Ctrl+/: lists the shortcuts, over the window; any key or click closes it.
class ShortcutSheet : public QFrame {
    Q_OBJECT
public:
    /// A column of the sheet.
    struct Section {
        QString title;
        QList<KeyHint> hints;
    };

    explicit ShortcutSheet(QWidget* window);

    void open(const QList<Section>& sections);

protected:
    void keyPressEvent(QKeyEvent* event) override;
    void mousePressEvent(QMouseEvent* event) override;

private:
    QHBoxLayout* m_columns;
    QWidget* m_content = nullptr;
};

} // namespace trainyard
