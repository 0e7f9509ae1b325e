#pragma once

#include <filesystem>
#include <functional>
#include <string>

#include <QObject>
#include <QString>
#include <QTimer>
#include <QUndoStack>

#include "engine/base/result.h"
#include "engine/spec/diagnostic.h"
#include "engine/spec/run_spec.h"

namespace trainyard {

struct RunSpec;

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
    /// Like edit(), but as a separate undo step.
    void editAtOnce(const QString& text, const QString& field, const std::function<void(RunSpec&)>& change);

    /// Replaces the document by a new specification without a file and clears the history.
    void reset(const RunSpec& spec = {});
    /// BadInput if the file is missing or not a specification; the document is unchanged then. A readable
    /// file with invalid values opens, with diagnostics.
    Status open(const std::filesystem::path& file);
    Status save(const std::filesystem::path& file);

signals:
    void changed();
    /// Another document is open: loaded, saved under a name, or reset.
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

/// Keeps the edited specification between sessions, saved or not: writes it shortly after each change, and
/// on destruction. GUI thread; the document must outlive it.
class DesignDraft : public QObject {
    Q_OBJECT
public:
    /// `file`: the draft's own file, JSON of the specification and the file name it was opened or saved
    /// under.
    DesignDraft(SpecDocument& document, std::filesystem::path file, QObject* parent = nullptr);
    ~DesignDraft() override;

    /// Loads the last session's design into the document, if there is one, and keeps its changes from then
    /// on. BadInput if the draft is damaged: it is set aside before the first change is written. Refused if
    /// it must not be replaced (see desk_file.h): changes are not kept then.
    Status restore();

signals:
    void failed(const trainyard::Error& error);

private:
    void show(const std::string& file, const RunSpec& design);
    void write();

    SpecDocument& m_document;
    std::filesystem::path m_file;
    Status m_present; ///< result of reading the file, which decides whether it may be overwritten
    QTimer m_due;
};

} // namespace trainyard
