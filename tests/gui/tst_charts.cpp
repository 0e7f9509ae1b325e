#include <QFileInfo>
#include <QLabel>
#include <QTemporaryDir>
#include <QTest>
#include <QToolButton>

#include <cmath>
#include <limits>
#include <random>

#include <qcustomplot.h>

#include "app/charts/chart_options.h"
#include "app/charts/column_image.h"
#include "app/charts/curve_chart.h"
#include "app/charts/curve_layer.h"
#include "app/charts/memory_chart.h"
#include "app/charts/stacked_chart.h"
#include "tests/gui/linked_charts.h"
#include "tests/gui/picture.h"
#include "tests/support/patience.h"

using namespace trainyard;
using namespace trainyard::test;

namespace {

constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();
constexpr double kInfinity = std::numeric_limits<double>::infinity();

/// The curve with another value in some rows.
Curve with(Curve curve, const QList<std::pair<int, double>>& changes)
{
    QList<double> y = curve.y.toList();
    for (const auto& [row, value] : changes)
        y[row] = value;
    curve.y = y;
    return curve;
}

ChartOptions withoutOutliers()
{
    ChartOptions options = raw();
    options.hideOutliers = true;
    return options;
}

} // namespace

class TestCharts : public QObject, private LinkedCharts {
    Q_OBJECT

private slots:
    void initTestCase() { support::applyScheme(ColourScheme::Light); }

    void aLineGoesOnWherePartsOfThePictureMeet()
    {
        std::vector<ValueSummary> columns(100);
        for (int pixel = 0; pixel < 100; ++pixel)
            columns[std::size_t(pixel)].add(pixel < 64 ? 1 : 9);
        columns[63] = {}; // nothing was recorded here
        ColumnImage image({100, 100}, {.upper = 10, .perUnit = 10});
        image.addLine(columns, Qt::black, 1);
        const QImage picture = image.image();
        for (int y = 12; y < 88; ++y) {
            QCOMPARE(qAlpha(picture.pixel(62, y)), 0);
            QCOMPARE(qAlpha(picture.pixel(64, y)), 255); // up from the value before
            QCOMPARE(qAlpha(picture.pixel(65, y)), 0);
        }
        columns[63].add(std::numeric_limits<double>::quiet_NaN());
        QCOMPARE(qAlpha(image.image().pixel(64, 50)), 0); // broken there
    }

    /// What is left of the picture before may not show.
    void aChartThatGrowsShowsTheSameAsOneThatIsNew()
    {
        constexpr int kCurves = 14; // painted pixel by pixel, also where they are smoothed
        const auto curves = [](int points) {
            QList<Curve> list;
            for (int i = 0; i < kCurves; ++i) {
                list.append({QString::number(i), {}, {}, i});
                for (int step = 0; step < points; ++step) {
                    list.last().x.append(step);
                    list.last().y.append(step < 2          ? 40 * step
                                         : step % 997 == i ? kNaN
                                                           : i + std::fmod(double(step) * step * 0.37, 9.0));
                }
            }
            return list;
        };
        for (const double weight : {0.0, 0.6}) {
            ChartOptions options;
            options.hideOutliers = false;
            options.smoothing = {SmoothingKind::Exponential, weight}; // does not depend on how long it is
            m_link->setZoom(ChartSpan{0, 12'000});                    // what comes later is out of view
            m_first->setOptions(options);
            m_first->setCurves(curves(6000));
            replot();
            for (int points = 6100; points < 14'000; points += 731) {
                m_first->setCurves(curves(points));
                m_first->replotNow();
                m_second->setOptions(options);
                m_second->setCurves({});
                m_second->replotNow();
                m_second->setCurves(curves(points));
                m_second->replotNow();
                m_second->replotNow(); // in the width that its labels left to it
                const auto picture = [](CurveChart* chart) { return plot(chart)->grab().toImage(); };
                QCOMPARE(picture(m_first), picture(m_second));
            }
        }
    }

    void theAxisOfACurveThatGrowsGoesAheadOfIt()
    {
        m_first->setCurves({});
        m_first->setCurves({falling(1000)});
        replot();
        const auto end = [&] { return plot(m_first)->xAxis->range().upper; };
        QCOMPARE(end(), 1000);
        m_first->setCurves({falling(1001)});
        replot();
        const double ahead = end();
        QVERIFY(ahead > 1001 && ahead < 1001 * 1.02);
        m_first->setCurves({falling(1005)});
        replot();
        QCOMPARE(end(), ahead);
        m_first->setCurves({falling(500)}); // another run
        replot();
        QCOMPARE(end(), 500);
    }

    void linesInFrontReplaceThoseBehind()
    {
        constexpr QSize kSize(70, 150);
        std::mt19937 random(7);
        std::uniform_real_distribution<double> value(-20, 170); // also beyond the picture
        std::vector<std::vector<ValueSummary>> lines(40, std::vector<ValueSummary>(70));
        for (auto& line : lines) {
            const double height = value(random);
            for (ValueSummary& column : line) {
                column.add(height + value(random) / 10);
                column.add(height - value(random) / 10);
            }
        }
        ColumnImage all(kSize, {.upper = 150, .perUnit = 1});
        QImage expected(kSize, QImage::Format_ARGB32_Premultiplied);
        expected.fill(0);
        for (std::size_t i = 0; i < lines.size(); ++i) {
            const QColor colour = QColor::fromHsv(int(i) * 9, 255, 255, i % 3 == 0 ? 90 : 255);
            all.addLine(lines[i], colour, 1);
            ColumnImage alone(kSize, {.upper = 150, .perUnit = 1});
            alone.addLine(lines[i], colour, 1);
            const QImage own = alone.image();
            for (int y = 0; y < kSize.height(); ++y) {
                for (int x = 0; x < kSize.width(); ++x) {
                    if (qAlpha(own.pixel(x, y)) > 0)
                        expected.setPixelColor(x, y, own.pixelColor(x, y));
                }
            }
        }
        QCOMPARE(all.image(), expected);
    }

    void init() { open(); }

    void cleanup() { close(); }

    void showsItsWholeData()
    {
        const QCPRange span = plot(m_first)->xAxis->range();
        QCOMPARE(span.lower, 1.0);
        QCOMPARE(span.upper, 100.0);
        QVERIFY(m_first->verticalRange().lower < 3.1);
        QVERIFY(m_first->verticalRange().upper > 9.9);
    }

    void countsWhatLiesOutside()
    {
        const Curve curve = with(falling(100), {{50, 1e5}});
        m_first->setOptions(withoutOutliers());
        m_first->setCurves({curve});
        replot();
        QCOMPARE(m_first->verticalRange().outside, 1);
        QVERIFY(badge().contains("1 outlier hidden"));
        m_first->setOptions(raw());
        replot();
        QCOMPARE(m_first->verticalRange().outside, 0);
        QVERIFY(m_first->verticalRange().upper > 1e5);
    }

    void theStartIsNeverAnOutlier()
    {
        m_first->setOptions(withoutOutliers());
        m_first->setCurves({with(falling(100), {{0, kNaN}, {1, 900}})});
        replot();
        QVERIFY(m_first->verticalRange().upper > 900);
        QCOMPARE(m_first->verticalRange().outside, 0);
    }

    void theBadgeIsAboveTheCurve()
    {
        m_first->setOptions(withoutOutliers());
        m_first->setCurves({with(falling(100), {{50, 1e5}})});
        replot();
        QCoreApplication::processEvents();
        for (const QLabel* label : plot(m_first)->findChildren<QLabel*>()) {
            if (label->isVisible())
                QVERIFY(!label->geometry().intersects(plot(m_first)->axisRect()->rect()));
        }
    }

    void aNarrowChartNeverCutsANumber()
    {
        m_first->setOptions(raw());
        m_first->setCurves({falling(100)});
        for (int width = 120; width < 500; width += 20) {
            m_window->resize(width, 300);
            replot();
            for (const QLabel* label : m_first->findChildren<QLabel*>())
                QVERIFY2(!label->text().contains(QChar(0x2026)), qPrintable(label->text()));
        }
    }

    void marksWhatIsNotANumber()
    {
        const Curve curve = with(falling(100), {{10, kNaN}, {11, kInfinity}});
        m_first->setCurves({curve});
        replot();
        QCOMPARE(m_first->notFiniteCount(), 2);
        QVERIFY(badge().contains("2 NaN or infinite"));
        const QCPGraph* marks = plot(m_first)->graph(plot(m_first)->graphCount() - 1);
        QCOMPARE(marks->dataCount(), 2);
        QCOMPARE(marks->data()->at(0)->value, m_first->verticalRange().lower);
    }

    void marksStepsThatWereSkipped()
    {
        // A gradient norm that overflowed, and one that should not have.
        Curve curve = with(falling(100), {{10, kInfinity}, {20, kInfinity}});
        curve.skipped = {curve.x[10], curve.x[50]};
        m_first->setCurves({curve});
        replot();
        QCOMPARE(m_first->skippedCount(), 2);
        QCOMPARE(m_first->notFiniteCount(), 1);
        QVERIFY(badge().contains("2 skipped"));
        const QCPGraph* marks = plot(m_first)->graph(plot(m_first)->graphCount() - 1);
        QCOMPARE(marks->data()->at(1)->key, curve.x[50]);
        m_link->setCursor(curve.x[50]);
        replot();
        QVERIFY2(m_first->accessibleDescription().contains("step skipped"),
                 qPrintable(m_first->accessibleDescription()));
    }

    void aPixelOfManyPointsShowsTheLeastAndTheMost()
    {
        Curve curve = falling(200'000);
        curve = with(curve, {{77'777, 1e5}, {99'999, -1e5}, {123'456, kNaN}});
        m_first->setOptions(withoutOutliers());
        m_first->setCurves({curve});
        replot();
        const DrawnLine& line = m_first->lines().front();
        QVERIFY(line.points.empty());
        ValueSummary all;
        for (const ValueSummary& column : line.columns)
            all.add(column);
        QCOMPARE(all.max, 1e5);
        QCOMPARE(all.min, -1e5);
        QCOMPARE(all.count(), std::uint64_t(200'000));
        QCOMPARE(m_first->notFiniteCount(), 1);
        AWAIT_EQUAL(m_first->verticalRange().outside, 2);
        QVERIFY(badge().contains("2 outliers hidden"));
    }

    void aLongCurveIsPaintedWhereItsPointsAre()
    {
        m_first->setCurves({falling(200'000)});
        replot();
        QCustomPlot* picture = plot(m_first);
        const QImage pixels = picture->grab().toImage();
        const QColor ink = m_first->lines().front().pen.color();
        for (const double x : {30'000.0, 90'000.0, 170'000.0}) {
            const QPoint at(int(picture->xAxis->coordToPixel(x)),
                            int(picture->yAxis->coordToPixel(m_first->valuesAt(x).front().value)));
            QVERIFY2(hasColour(pixels, at, ink), qPrintable(QString::number(x)));
            QVERIFY(!hasColour(pixels, at - QPoint(0, 40), ink));
        }
    }

    void positionsMayBeAheadOfValues()
    {
        Curve curve = falling(100);
        curve.x.append(101);
        m_first->setCurves({curve});
        replot();
        QCOMPARE(plot(m_first)->xAxis->range().upper, 100.0);
        QCOMPARE(curve.y.summary(0, 101).count(), std::uint64_t(100));
    }

    void anAreaLiesAroundACurve()
    {
        Curve mean = falling(100);
        QList<double> lower, upper;
        for (const double y : mean.y) {
            lower.append(y - 1);
            upper.append(y + 1);
        }
        mean.lower = lower;
        mean.upper = upper;
        m_first->setCurves({mean});
        replot();
        QCustomPlot* picture = plot(m_first);
        const QPoint at(int(picture->xAxis->coordToPixel(60)),
                        int(picture->yAxis->coordToPixel(m_first->valuesAt(60).front().value + 0.6)));
        const QColor panel = coloursOf(ColourScheme::Light).panel;
        QVERIFY(picture->grab().toImage().pixelColor(at) != panel);
    }

    void bothAxesCanBeLogarithmic()
    {
        ChartOptions options = raw();
        options.logarithmicX = true;
        m_first->setOptions(options);
        replot();
        QCOMPARE(plot(m_first)->xAxis->scaleType(), QCPAxis::stLogarithmic);
        QCOMPARE(plot(m_first)->xAxis->range().lower, 1.0);
        turnWheel(Qt::ControlModifier, pixelOf(m_first, 10));
        replot();
        QVERIFY(std::fabs(plot(m_first)->xAxis->coordToPixel(10) - pixelOf(m_first, 10).x()) < 1);
        QVERIFY(m_link->zoom()->from > 1 && m_link->zoom()->to < 100);
    }

    /// As the held-out loss over the training loss: exact values, which no average may hide.
    void aCurveBesideAnotherIsReadOutAndNeverSmoothed()
    {
        ChartOptions options = raw();
        options.smoothing = {SmoothingKind::Exponential, 0.9};
        m_first->setOptions(options);
        const Curve beside{
            .name = "held-out", .x = {20, 40, 60}, .y = {0.75, 0.25, 0.5}, .style = 5, .aside = true};
        m_first->setCurves({falling(100), beside});
        m_link->setCursor(41);
        replot();
        const DrawnLine& drawn = m_first->lines().back();
        QCOMPARE(drawn.points, (std::vector<QPointF>{{20, 0.75}, {40, 0.25}, {60, 0.5}}));
        QVERIFY(drawn.dots);
        const QString text = m_first->accessibleDescription();
        QVERIFY2(text.contains("(smoothed ") && text.contains("held-out 0.2500"), qPrintable(text));
        QTemporaryDir folder;
        QVERIFY(m_first->saveValues(folder.filePath("loss.csv")).ok());
        QFile values(folder.filePath("loss.csv"));
        QVERIFY(values.open(QFile::ReadOnly));
        QVERIFY(values.readAll().contains("held-out,40,0.25,\n")); // it has no average
    }

    void savesItsPictureAndItsValues()
    {
        QTemporaryDir folder;
        for (const char* name : {"loss.png", "loss.svg", "loss.pdf"}) {
            const Status saved = m_first->saveImage(folder.filePath(name));
            QVERIFY2(saved.ok(), saved.ok() ? "" : saved.error().text().c_str());
            QVERIFY(QFileInfo(folder.filePath(name)).size() > 1000);
        }
        QVERIFY(!m_first->saveImage(folder.filePath("loss.gif")).ok());
        QVERIFY(!m_first->saveImage(folder.filePath("no/loss.png")).ok());
        QCOMPARE(QImage(folder.filePath("loss.png")).width(), 2 * plot(m_first)->width());
        m_link->setZoom(ChartSpan{20, 22});
        QVERIFY(m_first->saveValues(folder.filePath("loss.csv")).ok());
        QFile values(folder.filePath("loss.csv"));
        QVERIFY(values.open(QFile::ReadOnly));
        const QStringList lines = QString::fromUtf8(values.readAll()).split('\n', Qt::SkipEmptyParts);
        QCOMPARE(lines.size(), 4);
        QCOMPARE(lines[0], "series,step,value");
        QCOMPARE(lines[1].section(',', 0, 1), "loss,20");
        QCOMPARE(lines[1].section(',', 2).toDouble(), m_first->valuesAt(20).front().value);
    }

    void logarithmicAxisIsAnOption()
    {
        ChartOptions options = raw();
        options.logarithmic = true;
        m_first->setOptions(options);
        replot();
        QCOMPARE(plot(m_first)->yAxis->scaleType(), QCPAxis::stLogarithmic);
    }

    void anotherSchemeRecolours()
    {
        const QColor light = m_first->lines().front().pen.color();
        support::applyScheme(ColourScheme::Dark);
        replot();
        const QColor dark = m_first->lines().front().pen.color();
        QVERIFY(light != dark);
        QCOMPARE(dark, seriesStyle(ColourScheme::Dark, 0).colour);
        support::applyScheme(ColourScheme::Light);
    }

    void layersAddUp()
    {
        StackedChart chart("Step", Quantity::Seconds);
        chart.setOptions(raw());
        chart.setLayers({1, 2}, {{"a", {1, 1}, Qt::red, Qt::red}, {"b", {2, 3}, Qt::blue, Qt::blue}});
        chart.resize(400, 300);
        chart.show();
        chart.replotNow();
        const QCPGraph* top = plot(&chart)->graph(1);
        QCOMPARE(top->data()->at(0)->value, 3.0);
        QCOMPARE(top->data()->at(1)->value, 4.0);
        QCOMPARE(plot(&chart)->yAxis->range().lower, 0.0);
    }

    void memoryIsReadOutByKeyboard()
    {
        MemoryColumns columns;
        columns.setDevices(
            {{"rank 0", "a", {1 << 20}, 1 << 20, 0}, {"rank 1", "b", {2 << 20}, 2 << 20, 4 << 20}});
        columns.show();
        QTest::keyClick(&columns, Qt::Key_Right);
        QTest::keyClick(&columns, Qt::Key_Right);
        QCOMPARE(columns.accessibleDescription(),
                 QString("rank 1 on b  ·  2.00 MiB of 4.00 MiB  ·  weights 2.00 MiB"));
    }

private:
    QString badge() const
    {
        QStringList texts;
        for (const QLabel* label : plot(m_first)->findChildren<QLabel*>())
            texts.append(label->text());
        return texts.join('\n');
    }
    static bool hasColour(const QImage& image, const QPoint& near, const QColor& colour)
    {
        for (int dy = -2; dy <= 2; ++dy) {
            if (image.pixelColor(near + QPoint(0, dy)) == colour)
                return true;
        }
        return false;
    }
};

QTEST_MAIN(TestCharts)
#include "tst_charts.moc"
