#pragma once

#include <memory>

#include <QPushButton>
#include <QTemporaryDir>

#include "app/shell/desk_window.h"

namespace trainyard::test {

/// The window of a desk of its own, with data and agent in a temporary folder. Its functions check as they
/// go.
class PageFixture {
public:
    /// For init(): a new folder, and the window on it.
    void start();
    /// For cleanup(): ends the runs of this desk, closes the window and expects no process that is left.
    void end();
    /// Opens the window, after closing the one before: what is on the disk is read again.
    void open();

    DeskWindow& desk() { return *m_window; }
    Session& session() { return m_window->session(); }
    MainWindow& window() { return m_window->window(); }
    template <typename T>
    T& goTo()
    {
        auto* page = window().findChild<T*>();
        window().showPage(page);
        return *page;
    }

    QString path(const QString& name = {}) const { return m_folder->filePath(name); }
    /// Where the node executables are found until end().
    void usePrograms(const QString& folder);

private:
    void endRuns();
    QStringList processesLeft() const;

    std::unique_ptr<QTemporaryDir> m_folder;
    std::unique_ptr<DeskWindow> m_window;
    QByteArray m_programs; ///< of before usePrograms()
};

/// Without the node half there is nobody to ask and nothing to prepare with.
bool nodeProgramsAreBuilt();

/// The visible button with this accessible name; null when there is none.
QPushButton* buttonIn(QWidget& parent, const QString& name);
/// Whether a visible label contains this text.
bool labelContaining(const QWidget& parent, const QString& text);
void click(QWidget& parent, const QString& name);
void replaceText(QWidget* field, const QString& text);

} // namespace trainyard::test
