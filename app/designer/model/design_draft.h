#pragma once

#include <filesystem>
#include <string>

#include <QObject>
#include <QTimer>

#include "engine/base/result.h"

namespace trainyard {

class SpecDocument;
struct RunSpec;

/// Keeps the specification that is being edited from one session to the next, whether it was saved or not:
/// writes it a moment after each change, and when this object ends. GUI thread; the document outlives it.
class DesignDraft : public QObject {
    Q_OBJECT
public:
    /// `file` is the draft's own: JSON of the specification and of the name it was opened or saved under.
    DesignDraft(SpecDocument& document, std::filesystem::path file, QObject* parent = nullptr);
    ~DesignDraft() override;

    /// Gives the document the design of the last session, if there was one, and keeps its changes from then
    /// on. BadInput when the draft is damaged: it is set aside before the first change is kept. Refused when
    /// it must stay (see desk_file.h): then nothing is kept.
    Status restore();

signals:
    void failed(const trainyard::Error& error);

private:
    void show(const std::string& file, const RunSpec& design);
    void write();

    SpecDocument& m_document;
    std::filesystem::path m_file;
    Status m_present; ///< what reading of the file came to; none is written over that is damaged
    QTimer m_due;
};

} // namespace trainyard
