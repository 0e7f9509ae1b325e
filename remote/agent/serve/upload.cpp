#include "remote/agent/serve/upload.h"

#include <fmt/format.h>

#include "remote/wire/protocol.h"

namespace trainyard::agent {

Upload::Upload(BlobStore store, BlobUpload blob, WorkQueue& work, Callbacks callbacks)
    : m_store(std::move(store)), m_blob(std::move(blob)), m_work(work), m_callbacks(std::move(callbacks))
{
}

void Upload::take(std::string_view bytes)
{
    if (m_over)
        return;
    m_unwritten += bytes.size();
    if (m_unwritten > kUploadWindow)
        return end(
            badInput(fmt::format("more than {} bytes were sent without an acknowledgement", kUploadWindow)));
    if (m_blob.offset + m_written + m_unwritten > m_blob.size)
        return end(badInput(fmt::format("received more bytes than the blob's {}", m_blob.size)));
    m_pending.append(bytes);
    advance();
}

void Upload::advance()
{
    if (m_busy || m_over)
        return;
    if (!m_part) {
        return runStep(
            [](Upload& self) -> Status {
                TRAINYARD_TRY(self.m_part, PartFile::open(self.m_store, self.m_blob));
                return {};
            },
            0);
    }
    if (!m_pending.empty()) {
        const std::uint64_t bytes = m_pending.size();
        return runStep([piece = std::move(m_pending)](Upload& self) { return self.m_part->append(piece); },
                       bytes);
    }
    if (m_part->complete())
        runStep([](Upload& self) { return self.m_part->finish(); }, 0);
}

void Upload::runStep(std::function<Status(Upload&)> step, std::uint64_t bytes)
{
    m_busy = true;
    m_pending.clear();
    const bool finishing = m_part && bytes == 0;
    auto outcome = std::make_shared<Status>();
    auto self = shared_from_this();
    m_work.run([self, outcome, step = std::move(step)] { *outcome = step(*self); },
               [self, outcome, bytes, finishing] {
                   self->m_busy = false;
                   if (self->m_over)
                       return;
                   if (!outcome->ok() || finishing)
                       return self->end(*outcome);
                   self->m_unwritten -= bytes;
                   self->m_written += bytes;
                   if (bytes > 0)
                       self->m_callbacks.received(self->m_written);
                   self->advance();
               });
}

void Upload::end(const Status& status)
{
    m_over = true;
    m_callbacks.done(status);
}

} // namespace trainyard::agent
