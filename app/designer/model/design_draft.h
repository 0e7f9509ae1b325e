#pragma once

#include <filesystem>
#include <string>

#include <QObject>
#include <QTimer>

#include "engine/base/result.h"

namespace trainyard {

class SpecDocument;
struct RunSpec;

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
