public import Foundation
public import HTTPTypes

/// The bytes of a request or an answer, in the pieces in which they come; no piece is empty.
///
/// It is read once, by one reader. Who stops reading lets go of what the bytes come from, and so does who drops a body unread.
public struct HTTPBody: AsyncSequence, Sendable {
    /// Reads the pieces, one after the other.
    public struct AsyncIterator: AsyncIteratorProtocol {
        private var read: () async throws -> Data?

        fileprivate init(_ read: @escaping () async throws -> Data?) {
            self.read = read
        }

        /// The next piece, or nil after the last one.
        ///
        /// - Throws: ``HTTPClientError`` when the rest does not come; `CancellationError`.
        public mutating func next() async throws -> Data? {
            while let piece = try await read() {
                if !piece.isEmpty { return piece }
            }
            return nil
        }
    }

    private enum Source: Sendable {
        case whole(Data)
        case pieces(@Sendable () -> () async throws -> Data?, trailers: @Sendable () -> HTTPFields)
    }

    private let source: Source

    /// How many bytes there are in all, where that is known before they come.
    public let size: Int64?

    /// All bytes, where they are there already; nil for those that come.
    ///
    /// Such a body can be read, and a request with it sent, more than once.
    public var whole: Data? {
        if case .whole(let data) = source { data } else { nil }
    }

    /// The fields that follow the last piece (RFC 9110, section 6.5); mostly none, and none before that piece has been read.
    public var trailers: HTTPFields {
        if case .pieces(_, let trailers) = source { trailers() } else { [:] }
    }

    /// Bytes that are there already.
    public init(_ data: Data) {
        size = Int64(data.count)
        source = .whole(data)
    }

    /// Bytes that come in pieces.
    ///
    /// - Parameters:
    ///   - size: How many there are, if that is known.
    ///   - trailers: Gives the fields that follow the last piece.
    public init<Pieces: AsyncSequence & Sendable>(
        _ pieces: Pieces,
        size: Int64? = nil,
        trailers: @escaping @Sendable () -> HTTPFields = { [:] }
    ) where Pieces.Element == Data {
        self.size = size
        source = .pieces(
            {
                var iterator = pieces.makeAsyncIterator()
                return { try await iterator.next(isolation: #isolation) }
            },
            trailers: trailers
        )
    }

    /// A reader of the pieces.
    public func makeAsyncIterator() -> AsyncIterator {
        switch source {
        case .whole(let data):
            var rest: Data? = data
            return AsyncIterator {
                defer { rest = nil }
                return rest
            }
        case .pieces(let read, _):
            return AsyncIterator(read())
        }
    }

    /// All bytes.
    ///
    /// - Throws: `tooLarge` as soon as there are more than `limit`; what reading throws.
    public func collect(upTo limit: Int, orThrow tooLarge: @autoclosure () -> any Error) async throws -> Data {
        if let size, size > limit { throw tooLarge() }
        if let whole { return whole }
        var data = Data()
        for try await piece in self {
            guard piece.count <= limit - data.count else { throw tooLarge() }
            // What came as one piece need not be copied.
            if data.isEmpty { data = piece } else { data.append(piece) }
        }
        return data
    }
}
