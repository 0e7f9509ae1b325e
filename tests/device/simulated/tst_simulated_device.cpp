#include <sys/wait.h>
#include <unistd.h>

#include <csignal>

#include <QTest>

#include <ATen/ops/arange.h>
#include <ATen/ops/full.h>
#include <ATen/ops/mm.h>
#include <ATen/ops/nonzero.h>
#include <ATen/ops/rand.h>
#include <ATen/ops/zeros.h>
#include <c10/core/AutogradState.h>
#include <c10/core/Event.h>
#include <c10/core/StreamGuard.h>
#include <c10/core/impl/VirtualGuardImpl.h>

#include "engine/comm/device_transport.h"
#include "engine/device/cuda/cuda_plugin.h"
#include "engine/memory/tensor_storage.h"
#include "engine/nn/tensor_memory.h"
#include "tests/device/simulated/simulated_test.h"

using namespace trainyard;

namespace {

c10::Device place()
{
    return simulatedPlugin().device().place;
}

c10::Stream otherStream()
{
    return c10::impl::VirtualGuardImpl(place().type()).getStreamFromGlobalPool(place());
}

at::Tensor numbers(std::int64_t count)
{
    return at::full({count}, 3.0, at::TensorOptions().dtype(at::kDouble).device(place()));
}

void synchronize()
{
    c10::impl::VirtualGuardImpl(place().type()).synchronizeDevice(0);
}

/// Lets `stream` go on behind what the current one has been given.
void follow(const c10::Stream& stream)
{
    c10::Event event(place().type());
    event.record(c10::impl::VirtualGuardImpl(place().type()).getStream(place()));
    event.block(stream);
}

/// What the call throws; empty when it throws nothing.
template <typename Call>
std::string errorOf(Call call)
{
    try {
        call();
        return {};
    } catch (const c10::Error& error) {
        return error.what_without_backtrace();
    }
}

/// What a process of its own says before the call ends it with SIGSEGV; empty when it does not.
template <typename Call>
std::string faultOf(Call call)
{
    int ends[2];
    if (::pipe(ends) != 0)
        return {};
    const pid_t child = ::fork();
    if (child == 0) {
        ::dup2(ends[1], STDERR_FILENO);
        ::signal(SIGALRM, SIG_DFL);
        call();
        ::_exit(0);
    }
    ::close(ends[1]);
    std::string text;
    char part[4096];
    for (ssize_t count = 0; (count = ::read(ends[0], part, sizeof part)) > 0;)
        text.append(part, static_cast<std::size_t>(count));
    ::close(ends[0]);
    int status = 0;
    ::waitpid(child, &status, 0);
    return WIFSIGNALED(status) ? text : std::string();
}

#define VERIFY_SAYS(text, words)                                                                             \
    do {                                                                                                     \
        const std::string said = (text);                                                                     \
        QVERIFY2(said.find(words) != std::string::npos, said.c_str());                                       \
    } while (false)

constexpr const char* kUnordered = "nothing orders one behind the other";

} // namespace

/// The simulated device computes, and finds what a device would not forgive.
class TestSimulatedDevice : public QObject {
    Q_OBJECT

private slots:
    void initTestCase()
    {
        QVERIFY(simulatedPlugin().traits().ok());
        c10::AutogradState::get_tls_state().set_multithreading_enabled(false);
    }

    /// Memory that one test frees is the next one's, which does not come behind what other streams did there.
    void cleanup() { synchronize(); }

    void computesWhatTheProcessorComputes()
    {
        const at::Tensor here = at::arange(12, at::kDouble).view({3, 4});
        const at::Tensor there = here.to(place());
        QVERIFY(there.device() == place());
        QVERIFY(at::mm(there, there.t()).cpu().equal(at::mm(here, here.t())));
        QVERIFY(there.select(1, 2).add(1).cpu().equal(here.select(1, 2).add(1)));
        QVERIFY(there.softmax(1).sum(0).cpu().allclose(here.softmax(1).sum(0)));
        QVERIFY(there.masked_fill(there.gt(5), 0).cpu().equal(here.masked_fill(here.gt(5), 0)));
        QCOMPARE(at::nonzero(there).size(0), 11);
        QCOMPARE(there.sum().item<double>(), 66.0);
    }

    void differentiatesAsTheProcessorDoes()
    {
        const at::Tensor here = at::arange(12, at::kDouble).view({3, 4}).requires_grad_();
        const at::Tensor there = here.detach().to(place()).requires_grad_();
        for (const at::Tensor& x : {here, there})
            at::mm(x, x.t()).tanh().sum().backward();
        QVERIFY(there.grad().cpu().equal(here.grad()));
    }

    void memoryHoldsNoNumberWhenItIsNew()
    {
        const auto options = at::TensorOptions().dtype(at::kFloat).device(place());
        QVERIFY(at::empty({10}, options).isnan().all().item<bool>());
    }

    void hostAccessEndsTheProcessAndNamesTheMemory()
    {
        const at::Tensor values = numbers(100);
        const std::string text = faultOf([&] {
            const auto* bytes = static_cast<const volatile char*>(values.const_data_ptr());
            static_cast<void>(bytes[24]);
        });
        VERIFY_SAYS(text, "host code touched memory of the simulated device");
        VERIFY_SAYS(text, "byte 24 of 800, made by");
    }

    void hostReadOfPinnedMemoryBeforeTheSynchronizationEndsTheProcess()
    {
        const at::Tensor host = emptyOnHost(1000, at::kDouble, place());
        const at::Tensor values = numbers(1000);
        const std::string text = faultOf([&] {
            host.copy_(values, true);
            static_cast<void>(*static_cast<const volatile double*>(host.const_data_ptr()));
        });
        VERIFY_SAYS(text, "pinned memory before it waited for the copy");
        host.copy_(values, true);
        synchronize();
        QCOMPARE(host[999].item<double>(), 3.0);
    }

    void hostWriteOfPinnedMemoryUnderWayIsFound()
    {
        const at::Tensor host = zerosOnHost(1000, at::kDouble, place());
        const at::Tensor values = numbers(1000);
        VERIFY_SAYS(faultOf([&] {
                        values.copy_(host, true);
                        *static_cast<volatile double*>(host.mutable_data_ptr()) = 1;
                    }),
                    "pinned memory before it waited for the copy");
        // Not a page of its own: found when the host waits.
        values.narrow(0, 0, 10).copy_(host.narrow(0, 0, 10), true);
        *static_cast<double*>(host.mutable_data_ptr()) = 1;
        VERIFY_SAYS(errorOf([] { synchronize(); }),
                    "the host changed pinned memory");
    }

    void aReadThatNothingOrdersBehindTheWriteIsFound()
    {
        const at::Tensor values = numbers(100);
        const c10::Stream other = otherStream();
        const c10::StreamGuard guard(other);
        VERIFY_SAYS(errorOf([&] { values.add(1); }), kUnordered);
    }

    void anEventOrdersStreams()
    {
        const at::Tensor values = numbers(100);
        const c10::Stream other = otherStream();
        follow(other);
        const c10::StreamGuard guard(other);
        QCOMPARE(errorOf([&] { values.add_(1); }), std::string());
        QCOMPARE(values.sum().item<double>(), 400.0);
    }

    void anEventOrdersNothingThatComesAfterIt()
    {
        const at::Tensor values = numbers(100);
        const c10::Stream other = otherStream();
        follow(other);
        values.add_(1);
        const c10::StreamGuard guard(other);
        VERIFY_SAYS(errorOf([&] { values.add(1); }), kUnordered);
    }

    void theHostOrdersStreamsByWaiting()
    {
        const at::Tensor values = numbers(100);
        synchronize();
        const c10::StreamGuard guard(otherStream());
        QCOMPARE(errorOf([&] { values.add(1); }), std::string());
    }

    void aWriteThatNothingOrdersBehindTheReadIsFound()
    {
        const at::Tensor values = numbers(100);
        const c10::Stream other = otherStream();
        follow(other);
        {
            const c10::StreamGuard guard(other);
            values.add(1);
        }
        QCOMPARE(errorOf([&] { values.add(1); }), std::string()); // both read
        VERIFY_SAYS(errorOf([&] { values.add_(1); }), kUnordered);
    }

    void partsOfOneTensorHaveOrdersOfTheirOwn()
    {
        const at::Tensor values = numbers(100);
        const c10::Stream other = otherStream();
        follow(other);
        {
            const c10::StreamGuard guard(other);
            values.narrow(0, 0, 50).add_(1);
        }
        QCOMPARE(errorOf([&] { values.narrow(0, 50, 50).add_(1); }), std::string());
        VERIFY_SAYS(errorOf([&] { values.narrow(0, 49, 51).add_(1); }), kUnordered);
    }

    void memoryThatIsFreedWhileAnotherStreamReadsItIsFound()
    {
        at::Tensor values = numbers(777);
        const c10::Stream other = otherStream();
        follow(other);
        {
            const c10::StreamGuard guard(other);
            values.add(1);
        }
        values.reset();
        VERIFY_SAYS(errorOf([] { numbers(777); }), kUnordered);
        synchronize();
    }

    void theDeviceDoesNotUseFreedMemory()
    {
        at::Tensor values = numbers(555);
        const std::span<std::byte> memory = memoryOf(values);
        values.reset();
        const CudaPlugin& functions = simulatedPlugin().functions();
        const std::unique_ptr<DeviceTransport> transport(
            functions.makeTransport(functions.makeGroupId(), 0, 1, DeviceTraffic::Collectives));
        VERIFY_SAYS(errorOf([&] { transport->broadcast(memory, Rank{0}); }), "uses memory that was freed");
    }

    void tensorsOfTheHostAreNoOperands()
    {
        const at::Tensor values = numbers(4);
        VERIFY_SAYS(errorOf([&] { at::mm(values.view({2, 2}), at::zeros({2, 2}, at::kDouble)); }), "device");
    }

    void aTensorWithoutMemoryIsNoOperand()
    {
        const at::Tensor values = numbers(4);
        takeMemory(values);
        VERIFY_SAYS(errorOf([&] { values.add(1); }), "whose memory was taken away");
        giveMemory(values);
        QVERIFY(values.isnan().all().item<bool>());
    }
};

QTEST_APPLESS_MAIN(TestSimulatedDevice)
#include "tst_simulated_device.moc"
