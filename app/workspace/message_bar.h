#pragma once

#include <functional>

#include <QFrame>
#include <QLabel>
#include <QPointer>

#include "engine/base/result.h"

class QHBoxLayout;
class QProgressBar;
class QPushButton;
class QToolButton;
class QVBoxLayout;

namespace trainyard {

/// Tells the user something in the place where she acted, instead of a dialog: a shape, a sentence, a second
/// line, buttons. Hidden until something is shown; a new message replaces the old one and its buttons. When
/// the button that has the keyboard focus goes, the bar takes it, and gives it back to where it was when it
/// hides.
class MessageBar : public QFrame {
    Q_OBJECT
public:
    enum class Tone { Info, Good, Warning, Bad };

    explicit MessageBar(QWidget* parent = nullptr);

    void showMessage(Tone tone, const QString& text, const QString& detail = {});
    /// The error as the command line prints it: the message, then the hint on its own line, both as
    /// sentences.
    void showError(const Error& error);
    /// A message about work under way. `fraction` 0..1, negative = how long is not known.
    void showProgress(const QString& text, double fraction, const QString& detail = {});
    /// Adds a button to the message that is shown. `isDefault` gets the keyboard focus. Gone with the
    /// message.
    QPushButton* addAction(const QString& text, std::function<void()> action, bool isDefault = false);
    /// Adds something to fill in under the texts; owned by the bar and gone with the message.
    void addField(QWidget* field);
    /// Whether the user may close the message; yes unless an answer is needed.
    void setClosable(bool closable);
    void clear();

    QString text() const;

signals:
    void closed();

private:
    void setTone(Tone tone);
    void setTexts(const QString& text, const QString& detail);
    void rememberFocus();
    void returnFocus();
    void removeActions();

    QPointer<QWidget> m_focusBefore; ///< what the user acted on
    Tone m_tone = Tone::Info;
    QLabel* m_shape;
    QLabel* m_text;
    QLabel* m_detail;
    QProgressBar* m_progress;
    QVBoxLayout* m_fields;
    QHBoxLayout* m_actions;
    QToolButton* m_close;
};

} // namespace trainyard
