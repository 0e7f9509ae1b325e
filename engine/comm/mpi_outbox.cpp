#include "engine/comm/mpi_outbox.h"

#include "engine/base/check.h"

namespace trainyard {

void MpiOutbox::send(std::span<const std::byte> bytes, Rank to, MPI_Comm communicator)
{
    TRAINYARD_CHECK(bytes.size() < (std::size_t{1} << 31)); // MPI counts in int
    progress();
    Message& message = m_messages.emplace_back(Message{{bytes.begin(), bytes.end()}, communicator});
    MPI_Isend(message.bytes.data(), static_cast<int>(bytes.size()), MPI_BYTE, to.value, 0, communicator,
              &message.request);
}

bool MpiOutbox::progress()
{
    // Also where nothing of ours is on its way: a collective that has returned may have left bytes in queues.
    int ignored = 0;
    MPI_Iprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_SELF, &ignored, MPI_STATUS_IGNORE);
    m_messages.remove_if([](Message& message) {
        int sent = 0;
        MPI_Test(&message.request, &sent, MPI_STATUS_IGNORE);
        return sent != 0;
    });
    return !m_messages.empty();
}

void MpiOutbox::finish(MPI_Comm communicator)
{
    m_messages.remove_if([communicator](Message& message) {
        if (message.communicator != communicator)
            return false;
        MPI_Wait(&message.request, MPI_STATUS_IGNORE);
        return true;
    });
}

} // namespace trainyard
