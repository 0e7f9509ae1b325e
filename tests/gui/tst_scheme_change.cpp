#include <algorithm>
#include <array>
#include <memory>
#include <span>
#include <vector>

#include <QApplication>
#include <QPointer>
#include <QScrollBar>
#include <QTemporaryDir>
#include <QTest>

#include "app/shell/appearance.h"
#include "tests/gui/pictures/picture.h"
#include "tests/gui/pictures/picture_runs.h"
#include "tests/support/patience.h"
#include "tests/support/row_sample.h"

using namespace trainyard;
using namespace trainyard::pictures;

namespace {

constexpr QSize kSize(1280, 800);
constexpr int kRedrawMs = 100; ///< in which charts that became dirty are drawn again
constexpr int kFewPixels = 40; ///< where the edges of letters happen to have a colour of the other scheme

ColourScheme otherThan(ColourScheme scheme)
{
    return scheme == ColourScheme::Light ? ColourScheme::Dark : ColourScheme::Light;
}

/// Pixels in one of the colours that areas have in that scheme.
qsizetype areaPixels(const QImage& picture, ColourScheme scheme)
{
    const ThemeColours& colours = coloursOf(scheme);
    const std::array areas{colours.window.rgb(),     colours.panel.rgb(),    colours.raised.rgb(),
                           colours.accentTint.rgb(), colours.goodTint.rgb(), colours.warningTint.rgb(),
                           colours.badTint.rgb()};
    qsizetype count = 0;
    const QImage plain = picture.convertToFormat(QImage::Format_RGB32);
    for (int y = 0; y < plain.height(); ++y) {
        const std::span line(reinterpret_cast<const QRgb*>(plain.constScanLine(y)),
                             std::size_t(plain.width()));
        count += std::ranges::count_if(
            line, [&](QRgb pixel) { return std::ranges::find(areas, pixel) != areas.end(); });
    }
    return count;
}

bool isAtEnd(const QScrollBar& bar)
{
    return bar.value() == bar.maximum();
}

using ScrollBars = std::vector<QPointer<QScrollBar>>;

/// Scrolls the visible lists, tables and logs that are longer than their view to their end.
ScrollBars scrollToEnds(const QWidget& window)
{
    ScrollBars bars;
    for (QScrollBar* bar : window.findChildren<QScrollBar*>()) {
        if (bar->orientation() != Qt::Vertical || !bar->isVisible() || bar->maximum() == 0)
            continue;
        bar->setValue(bar->maximum());
        bars.emplace_back(bar);
    }
    return bars;
}

} // namespace

/// The scheme changes while the window is open, and nothing keeps the colours that it had.
class TestSchemeChange : public QObject {
    Q_OBJECT

private slots:
    void init()
    {
        m_data = std::make_unique<QTemporaryDir>();
        qputenv("TRAINYARD_DATA", m_data->path().toLocal8Bit());
    }
    void cleanup()
    {
        m_desk.reset();
        m_data.reset();
    }

    /// The empty desk in every run, and of the others a sample.
    void everyStateFollows_data()
    {
        QTest::addColumn<Content>("content");
        const support::RowSample sample(2);
        QTest::addRow("an empty desk") << Content::None;
        if (sample.has("hosts, data and designs"))
            QTest::addRow("hosts, data and designs") << Content::Desk;
        if (sample.has("runs, comparisons and reports"))
            QTest::addRow("runs, comparisons and reports") << Content::Runs;
    }
    void everyStateFollows()
    {
        QFETCH(Content, content);
        if (content == Content::Runs)
            writeRuns(m_data->path());
        openDesk();
        if (content == Content::Desk)
            fillDesk(*m_desk);
        followThrough(picturesOf(content));
    }

private:
    enum class Content { None, Desk, Runs };

    static QList<Picture> picturesOf(Content content)
    {
        if (content != Content::Runs)
            return content == Content::None ? emptyPictures() : placePictures();
        QList<Picture> pictures = runPictures();
        pictures.removeIf([](const Picture& picture) { // they show paper, which is white in both
            return picture.name.startsWith("reports");
        });
        return pictures;
    }

    void openDesk()
    {
        m_desk = std::make_unique<DeskWindow>(*qApp, m_data->path().toStdString());
        m_desk->window().resize(kSize);
        m_desk->window().show();
        QVERIFY(QTest::qWaitForWindowExposed(&m_desk->window(), kPatienceMs));
    }

    /// Each state is arranged in the scheme that the one before ended in. What is scrolled to its end stays
    /// there.
    void followThrough(const QList<Picture>& pictures)
    {
        QStringList stuck;
        ColourScheme scheme = ColourScheme::Light;
        dress(*qApp, scheme);
        for (const Picture& picture : pictures) {
            picture.arrange(*m_desk);
            ScrollBars bars = scrollToEnds(m_desk->window());
            QTest::qWait(kRedrawMs);
            std::erase_if(bars, [](const auto& bar) { return !bar || !isAtEnd(*bar); });
            const ColourScheme before = std::exchange(scheme, otherThan(scheme));
            dress(*qApp, scheme);
            qsizetype old = 0;
            const auto hasFollowed = [&] {
                old = areaPixels(m_desk->window().grab().toImage(), before);
                return old <= kFewPixels;
            };
            if (!QTest::qWaitFor(hasFollowed, kRedrawMs))
                stuck << QStringLiteral("%1: %2 pixels").arg(picture.name).arg(old);
            for (const auto& bar : bars) {
                if (bar && bar->isVisible() && !isAtEnd(*bar))
                    stuck << QStringLiteral("%1: %2 of %3")
                                 .arg(picture.name)
                                 .arg(bar->value())
                                 .arg(bar->maximum());
            }
        }
        QVERIFY2(stuck.isEmpty(), qPrintable(stuck.join(QStringLiteral(", "))));
    }

    std::unique_ptr<QTemporaryDir> m_data;
    std::unique_ptr<DeskWindow> m_desk;
};

QTEST_MAIN(TestSchemeChange)
#include "tst_scheme_change.moc"
