#pragma once

#include <filesystem>
#include <functional>

#include <QObject>
#include <QString>
#include <QUndoStack>

#include "engine/spec/diagnostic.h"
#include "engine/spec/run_spec.h"

namespace trainyard {

/// The edited specification: its value, problems, undo history and file. Emits changed() after each change,
/// with the diagnostics already updated. GUI thread.
class SpecDocument : public QObject {
    Q_OBJECT
public:
    explicit SpecDocument(QObject* parent = nullptr);

    const RunSpec& spec() const { return m_spec; }
    const Diagnostics& diagnostics() const { return m_diagnostics; }
    bool isValid() const { return m_diagnostics.empty(); }
    QUndoStack& undoStack() { return m_undo; }
    bool isModified() const { return !m_undo.isClean(); }
    const std::filesystem::path& file() const { return m_file; }

    /// Applies an edit of the user. `field` is its JSON path: further edits of the same field join the same
    /// undo step until closeEdit(). No effect if the value does not change.
    void edit(const QString& text, const QString& field, const std::function<void(RunSpec&)>& change);
    /// Ends the undo step of the current field, e.g. when it loses the focus.
    void closeEdit();

    /// Replaces the document by a new specification without a file and clears the history.
    void reset(const RunSpec& spec = {});
    /// BadInput if the file is missing or not a specification; the document is unchanged then. A readable
    /// file with invalid values opens, with diagnostics.
    Status open(const std::filesystem::path& file);
    Status save(const std::filesystem::path& file);

signals:
    void changed();
    /// Another document is open: opened, saved under a name, or reset.
    void fileChanged();

private:
    friend class SpecEdit;
    void assign(const RunSpec& spec);

    RunSpec m_spec;
    Diagnostics m_diagnostics;
    QUndoStack m_undo;
    std::filesystem::path m_file;
    int m_editGroup = 0;
};

} // namespace trainyard
