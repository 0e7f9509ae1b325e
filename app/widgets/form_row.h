#pragma once

#include <QString>
#include <QWidget>

class QLabel;

namespace trainyard {

/// Returns the text with a place to wrap behind each slash: a path is one long word, and would widen the
/// form.
QString breakable(QString text);

/// One row of a form: label left, field right; below the field its help, or the problem.
class FormRow : public QWidget {
    Q_OBJECT
public:
    enum class Help {
        Always,  ///< a line under the field
        OnHover, ///< as a tool tip; dense forms show the help of the focused row in one place (helpWanted)
    };

    static constexpr int kLabelWidth = 136;

    /// `field` is owned by the row; its accessible name is the label, its description the help.
    FormRow(const QString& label, QWidget* field, const QString& help, Help shown, QWidget* parent = nullptr);

    QWidget* field() const { return m_field; }
    /// Says something else about the field.
    void setHelp(const QString& help);
    /// Adds a control next to the field, such as a button that fills it; owned by the row.
    void addBeside(QWidget* widget);
    /// Shows the label muted, for a value that the field only inherits.
    void setMuted(bool muted);
    /// Shows a sentence under the field and a red border; empty = no problem.
    void setError(const QString& sentence);
    QString error() const;

signals:
    /// The field got the focus or the pointer.
    void helpWanted(const QString& help);

protected:
    bool eventFilter(QObject* watched, QEvent* event) override;

private:
    QString m_help;
    Help m_shown;
    QLabel* m_name;
    QWidget* m_field;
    QLabel* m_note;
};

} // namespace trainyard
