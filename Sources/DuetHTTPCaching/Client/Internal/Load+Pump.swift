import DuetHTTP
import Foundation

extension Load {
    /// Reads the body as its readers want more of it, and stores it meanwhile.
    ///
    /// What completes the announced length is handed out when it is stored, so that a reader that has all of it finds it stored.
    ///
    /// - Returns: How the body ended, which the readers are still to be told.
    func pump(_ body: HTTPBody, into recording: Recording?) async -> Result<Void, any Error> {
        var recording = recording
        var count: Int64 = 0
        var last: Data?
        defer { if let last { push(last) } }
        do {
            var iterator = body.makeAsyncIterator()
            while true {
                if last == nil { try await demand() }
                guard let piece = try await iterator.next() else { break }
                if let early = last.take() { push(early) }
                count += Int64(piece.count)
                // The others are handed out first, because what is stored before them may have to be copied.
                if recording != nil, count == body.size { last = piece } else { push(piece) }
                await recording?.append(piece)
                if recording?.mayBeStored == false { markUnrecorded() }
            }
            // A source may end quietly when its task is cancelled: what was read would then look complete.
            try Task.checkCancellation()
            keep(body.trailers, await recording?.finish(completely: true).stored)
            return .success(())
        } catch {
            if let recording {
                let isRefused = error.wrongBodyLength?.isTooLong == true
                // In a task of its own, because this one is cancelled when the readers have gone.
                await Task {
                    if isRefused { await recording.refuse() } else { await recording.finish(completely: false) }
                }
                .value
            }
            return .failure(error)
        }
    }
}
