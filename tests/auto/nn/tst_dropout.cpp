#include <QTest>

#include <array>
#include <cmath>
#include <sys/wait.h>
#include <unistd.h>
#include <vector>

#include <ATen/ops/linspace.h>
#include <ATen/ops/ones.h>

#include "engine/nn/dropout.h"
#include "engine/nn/dropout_mask.h"

#include "tests/support/device/emulated_device.h"
#include "tests/support/tested_device/tested_device.h"

using namespace trainyard;

namespace {

constexpr std::uint32_t kTenth = 429496730; // 0.1 * 2^32

// The definition in dropout_mask.h, word by word.
std::vector<std::uint8_t> maskByDefinition(std::int64_t count, const DropoutStream& stream,
                                           std::int64_t first = 0)
{
    std::vector<std::uint8_t> mask;
    for (std::int64_t e = first; e < first + count; ++e) {
        const std::int64_t block = e / 64 * 16 + e % 16;
        const PhiloxCounter words =
            philox({static_cast<std::uint32_t>(block), stream.step, static_cast<std::uint32_t>(stream.sample),
                    stream.site << 20 | static_cast<std::uint32_t>(stream.sample >> 32)},
                   {stream.key[0], stream.key[1] ^ static_cast<std::uint32_t>(block >> 32)});
        mask.push_back(words[static_cast<std::size_t>(e / 16 % 4)] >= kTenth);
    }
    return mask;
}

const DropoutStream kStream{philoxKey(0x1234567890abcdefu), 17, 5, (std::uint64_t{3} << 32) + 9};

at::Tensor values(at::ScalarType type)
{
    return at::linspace(0.5, 2.0, 6 * 1000, at::kDouble).view({6, 1000}).to(type);
}

} // namespace

class TestDropout : public QObject {
    Q_OBJECT

private slots:
    void maskFollowsItsDefinition_data()
    {
        QTest::addColumn<int>("count");
        for (const int count : {1, 63, 64, 65, 1000})
            QTest::addRow("%d elements", count) << count;
    }
    void maskFollowsItsDefinition()
    {
        QFETCH(int, count);
        std::vector<std::uint8_t> mask(static_cast<std::size_t>(count));
        fillDropoutMask(mask.data(), 0, count, kTenth, kStream);
        QVERIFY(mask == maskByDefinition(count, kStream));
    }

    void maskOfAPartIsThePartOfTheMask()
    {
        const std::vector<std::uint8_t> whole = maskByDefinition(500, kStream);
        for (const int first : {128, 1, 63, 70}) {
            for (const int count : {1, 20, 57, 58, 300}) {
                std::vector<std::uint8_t> part(static_cast<std::size_t>(count));
                fillDropoutMask(part.data(), first, count, kTenth, kStream);
                QVERIFY(std::equal(part.begin(), part.end(), whole.begin() + first));
            }
        }
    }

    // 2^34 elements have as many blocks as the counter can count.
    void maskDoesNotRepeat()
    {
        constexpr std::int64_t kAlias = std::int64_t{1} << 34;
        const std::vector<std::uint8_t> low = maskByDefinition(1000, kStream);
        for (const std::int64_t first : {kAlias, 2 * kAlias, kAlias - 500, kAlias - 64, 3 * kAlias - 37}) {
            const std::vector<std::uint8_t> wanted = maskByDefinition(1000, kStream, first);
            std::vector<std::uint8_t> mask(1000);
            fillDropoutMask(mask.data(), first, 1000, kTenth, kStream);
            QVERIFY(mask == wanted);
            std::vector<std::uint8_t> onDevice(1000);
            emulatedMasks().fill(onDevice.data(), std::vector{DropoutPart{kStream.sample, first, 1000}},
                                 kTenth, kStream);
            QVERIFY(onDevice == wanted);
            QVERIFY(mask != low);
        }
        // The bits that it always had: of the first block, from philox() itself.
        QCOMPARE(low[16], std::uint8_t(philox(dropoutCounter(0, kStream.step, kStream.site, kStream.sample),
                                              kStream.key)[1] >= kTenth));
    }

    void aSiteHasTwelveBits()
    {
        QCOMPARE(dropoutRates(0.1, {42, 1}, kDropoutSites - 1).site.site, kDropoutSites - 1);
        const pid_t child = ::fork();
        if (child == 0) {
            ::fclose(stderr);
            dropoutRates(0.1, {42, 1}, kDropoutSites);
            ::_exit(0);
        }
        int status = 0;
        QCOMPARE(::waitpid(child, &status, 0), child);
        QVERIFY(WIFSIGNALED(status));
    }

    void devicesDrawTheSameMask()
    {
        const std::vector<DropoutPart> parts{
            {7, 0, 1000}, {std::uint64_t{3} << 40, 70, 1}, {0, 63, 130}, {5, 128, 64}};
        std::vector<std::uint8_t> drawn(1195, 2);
        emulatedMasks().fill(drawn.data(), parts, kTenth, kStream);
        std::uint8_t* mask = drawn.data();
        for (const DropoutPart& part : parts) {
            DropoutStream stream = kStream;
            stream.sample = part.sample;
            std::vector<std::uint8_t> expected(static_cast<std::size_t>(part.count));
            fillDropoutMask(expected.data(), part.firstElement, part.count, kTenth, stream);
            QVERIFY(std::equal(expected.begin(), expected.end(), mask));
            mask += part.count;
        }
    }

    void everyPartOfTheKeyMatters()
    {
        const auto reference = maskByDefinition(256, kStream);
        std::array<DropoutStream, 5> others{kStream, kStream, kStream, kStream, kStream};
        others[0].key[1] += 1;
        others[1].step += 1;
        others[2].site += 1;
        others[3].sample += 1;
        others[4].sample += std::uint64_t{1} << 32;
        for (const DropoutStream& other : others)
            QVERIFY(maskByDefinition(256, other) != reference);
    }

    void dropsTheAskedShareAndKeepsTheMean()
    {
        const std::vector<std::uint64_t> samples{0, 1, 2, 3};
        const at::Tensor dropped =
            dropout(at::ones({4, 250000}), 0.1, {42, 1}, 0, samples, *testedDevice().compute);
        const double share = (dropped == 0).to(at::kDouble).mean().item<double>();
        QVERIFY(std::abs(share - 0.1) < 4 * std::sqrt(0.1 * 0.9 / 1e6)); // four standard deviations
        QVERIFY(std::abs(dropped.to(at::kDouble).mean().item<double>() - 1.0) < 2e-3);
    }

    void dependsOnTheSampleAndNotOnItsPlace()
    {
        const at::Tensor input = values(at::kDouble);
        const std::vector<std::uint64_t> samples{7, 8, 9, 10, 11, 12};
        const at::Tensor whole = dropout(input, 0.3, {42, 5}, 2, samples, *testedDevice().compute);
        const at::Tensor tail = dropout(input.narrow(0, 4, 2), 0.3, {42, 5}, 2, std::span(samples).subspan(4),
                                        *testedDevice().compute);
        QVERIFY(whole.narrow(0, 4, 2).equal(tail));
    }

    void gradientGoesThroughTheSameMask_data()
    {
        QTest::addColumn<int>("type");
        QTest::addRow("float64") << int(at::kDouble);
        QTest::addRow("float32") << int(at::kFloat);
        QTest::addRow("bfloat16") << int(at::kBFloat16);
    }
    void gradientGoesThroughTheSameMask()
    {
        QFETCH(int, type);
        const at::Tensor input = values(at::ScalarType(type)).requires_grad_();
        const std::vector<std::uint64_t> samples{0, 1, 2, 3, 4, 5};
        const at::Tensor output = dropout(input, 0.25, {1, 2}, 3, samples, *testedDevice().compute);
        output.backward(at::ones_like(output));
        const at::Tensor kept = output != 0;
        QVERIFY(input.grad().equal(kept.to(output.scalar_type()) * at::ones_like(output).div(0.75)));
        const at::Tensor expected = at::where(kept, input.detach().div(0.75), at::zeros_like(input));
        // One rounding of the scale factor more than the division has.
        QVERIFY(output.detach().allclose(expected, type == int(at::kBFloat16) ? 1e-2 : 1e-6));
    }

    void probabilityZeroChangesNothing()
    {
        const at::Tensor input = values(at::kFloat);
        const std::vector<std::uint64_t> samples{0, 1, 2, 3, 4, 5};
        QVERIFY(dropout(input, 0.0, {1, 2}, 3, samples, *testedDevice().compute).is_same(input));
    }
};

QTEST_APPLESS_MAIN(TestDropout)
#include "tst_dropout.moc"
