#pragma once

#include <QString>
#include <QWidget>

namespace trainyard {

/// One of the places of the window. The shell shows it in its rail and calls it when the user arrives, wants
/// a refresh, or leaves with Esc; a place never reaches into the shell.
class Place : public QWidget {
    Q_OBJECT
public:
    /// `icon` names a file of resources/icons, without folder and extension.
    Place(QString title, QString icon, QWidget* parent = nullptr);

    const QString& title() const { return m_title; }
    const QString& iconName() const { return m_icon; }

    /// The place has just become the visible one.
    virtual void activate() {}
    /// F5: look at the world again.
    virtual void refresh() {}

signals:
    /// One line for the window's status bar while this place is visible; empty = nothing to say.
    void statusTextChanged(const QString& text);

private:
    QString m_title;
    QString m_icon;
};

} // namespace trainyard
