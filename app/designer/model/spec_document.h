#pragma once

#include <filesystem>
#include <functional>

#include <QObject>
#include <QString>
#include <QUndoStack>

#include "engine/spec/diagnostic.h"
#include "engine/spec/run_spec.h"

namespace trainyard {

/// The specification that is being edited: the value, what is wrong with it, every change undoable, and the
/// file it came from. Emits changed() after each change, with the diagnostics already up to date. GUI thread.
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

    /// One edit by the user. `field` is its JSON path: further edits of the same field join the same undo
    /// step until closeEdit(). No effect when nothing changes.
    void edit(const QString& text, const QString& field, const std::function<void(RunSpec&)>& change);
    /// The next edit is an undo step of its own (the field lost the focus).
    void closeEdit();

    /// A fresh specification without file; the history of the old one is gone.
    void reset(const RunSpec& spec = {});
    /// BadInput when the file is missing or not a specification; the document stays as it was then. A file
    /// that reads well but has wrong values opens: the diagnostics tell.
    Status open(const std::filesystem::path& file);
    Status save(const std::filesystem::path& file);

signals:
    void changed();
    /// The document is another one: opened, saved under a name, reset.
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
