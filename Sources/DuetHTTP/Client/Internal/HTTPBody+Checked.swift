import Foundation

extension HTTPBody {
    /// The same body, whose reader gets what `check` throws.
    ///
    /// - Parameter check: Is asked before the first piece, after each, before it is handed on, and at the end, with how many
    ///   bytes have come by then.
    package func checked(
        _ check: @escaping @Sendable (_ count: Int64, _ isEnd: Bool) throws -> Void
    ) -> HTTPBody {
        // What is there already can be looked at now, and stays whole.
        if let whole, (try? check(Int64(whole.count), false)) != nil, (try? check(Int64(whole.count), true)) != nil {
            return self
        }
        return HTTPBody(CheckedPieces(body: self, check: check), size: size) { trailers }
    }
}

/// A body that is counted while it is read.
private struct CheckedPieces: AsyncSequence, Sendable {
    let body: HTTPBody
    let check: @Sendable (_ count: Int64, _ isEnd: Bool) throws -> Void

    struct AsyncIterator: AsyncIteratorProtocol {
        var iterator: HTTPBody.AsyncIterator
        let check: @Sendable (_ count: Int64, _ isEnd: Bool) throws -> Void
        var count: Int64 = 0

        mutating func next() async throws -> Data? {
            if count == 0 { try check(0, false) }
            let piece = try await iterator.next()
            count += Int64(piece?.count ?? 0)
            try check(count, piece == nil)
            return piece
        }
    }

    func makeAsyncIterator() -> AsyncIterator {
        AsyncIterator(iterator: body.makeAsyncIterator(), check: check)
    }
}
