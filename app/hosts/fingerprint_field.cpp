#include "app/hosts/fingerprint_field.h"

#include <algorithm>

#include <QHBoxLayout>
#include <QLabel>
#include <QLineEdit>
#include <QRegularExpression>

#include "app/base/theme.h"
#include "app/widgets/roles.h"

namespace trainyard {

namespace {

constexpr int kFieldWidth = 430; ///< a whole fingerprint

QString bare(QString word)
{
    if (word.startsWith(QLatin1String("SHA256:")))
        word.remove(0, 7);
    while (word.endsWith(QLatin1Char('=')))
        word.chop(1);
    return word;
}

} // namespace

bool isSameFingerprint(const QString& expected, const QString& shown)
{
    const QStringList words = expected.split(QRegularExpression(QStringLiteral("\\s+")), Qt::SkipEmptyParts);
    return std::any_of(words.begin(), words.end(),
                       [&](const QString& word) { return bare(word) == bare(shown); });
}

FingerprintField::FingerprintField(const QString& shown, QWidget* parent)
    : QWidget(parent), m_shown(shown), m_expected(new QLineEdit), m_verdict(makeLabel({}, "help"))
{
    m_expected->setPlaceholderText(tr("Paste the expected fingerprint to compare"));
    m_expected->setAccessibleName(tr("Expected fingerprint"));
    m_expected->setFixedWidth(kFieldWidth);
    auto* row = new QHBoxLayout(this);
    row->setContentsMargins(0, 0, 0, 0);
    row->setSpacing(metrics::kGap);
    row->addWidget(m_expected);
    row->addWidget(m_verdict, 1);
    connect(m_expected, &QLineEdit::textChanged, this, &FingerprintField::compare);
}

void FingerprintField::compare()
{
    const bool empty = m_expected->text().trimmed().isEmpty();
    const bool same = isSameFingerprint(m_expected->text(), m_shown);
    const bool contradicts = !empty && !same;
    setRole(m_verdict, contradicts ? "error" : "help");
    m_verdict->setText(empty  ? QString()
                       : same ? tr("\u2713 Matches")
                              : tr("\u2715 Does not match: do not accept it"));
    setStyleProperty(m_expected, "invalid", contradicts);
    emit contradicted(contradicts);
}

} // namespace trainyard
