#pragma once

#include <QFrame>

#include "app/data/model/prepare_request.h"
#include "app/data/option_fields.h"
#include "app/hosts/controls/choose_path.h"

class QPlainTextEdit;
class QPushButton;
class QVBoxLayout;

namespace trainyard {

class ChoiceBox;
class ReaderField;
class ShapeField;

/// Asks what to prepare, where and how; rarely used options are under "More options". A field shows its
/// problem once the user has visited it; pressing Prepare shows all problems.
class PrepareForm : public QFrame {
    Q_OBJECT
public:
    /// `runs` connects to the hosts whose folders are listed.
    explicit PrepareForm(RunService& runs, QWidget* parent = nullptr);

    void setHosts(const QStringList& hosts);
    PrepareRequest request() const;
    void setRequest(const PrepareRequest& request);
    /// Sets why Prepare is disabled, since only one job runs at a time; empty = enabled.
    void setBlocked(const QString& reason);
    void showMore(bool shown);

signals:
    /// Emitted with valid options only.
    void prepareRequested(const trainyard::PrepareRequest& request);
    void closed();

protected:
    void keyPressEvent(QKeyEvent* event) override;

private:
    using Path = std::filesystem::path PrepareOptions::*;

    QWidget* makeContent();
    void addCorpus(QVBoxLayout* column);
    void addVocabulary(QVBoxLayout* column);
    void addTokenizer(QVBoxLayout* column);
    void addRows(QVBoxLayout* column);
    void addMoreOfCorpus(QVBoxLayout* column);
    void addWeights(QVBoxLayout* column);
    void addMoreOfRows(QVBoxLayout* column);
    void addChooser(const char* option, const QString& name, std::function<void()> choose);
    void onEdited();
    /// What rows and passes are, with and without masks.
    void describePasses(bool isRunningText);
    QString host() const;
    /// Whether the vocabulary comes from there (VocabularySource).
    void offerTraining(bool isOffered);
    bool isFrom(int source) const;
    bool hasWordPieces() const;
    Diagnostics problemsOf(const PrepareRequest& request) const;
    void chooseFiles(QPlainTextEdit* field, const QString& title);
    void choosePath(ChosenKind kind, Path member);
    void chooseOutput();
    void setPath(Path member, const std::filesystem::path& path);
    void submit();

    RunService& m_runs;
    OptionFields* m_fields;
    ChoiceBox* m_host;
    QPlainTextEdit* m_dumps = nullptr;
    QPlainTextEdit* m_heldOut = nullptr;
    ChoiceBox* m_vocabulary;
    ShapeField* m_shapes;
    ReaderField* m_readers;
    QPushButton* m_more;
    QWidget* m_moreOptions;
    QPushButton* m_prepare;
    bool m_wasAsked =
        false; ///< Prepare was pressed on these options: every problem shows, also of fields untouched
};

} // namespace trainyard
