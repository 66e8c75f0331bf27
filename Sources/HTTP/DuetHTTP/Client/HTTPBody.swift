public import Foundation
public import HTTPTypes

/// The body of a request or a response, as a sequence of nonempty pieces.
///
/// It is read once, by one reader. A reader that stops releases the connection, and so does dropping an unread body.
public struct HTTPBody: AsyncSequence, Sendable {
    /// Reads the pieces in order.
    public struct AsyncIterator: AsyncIteratorProtocol {
        private var read: () async throws -> Data?

        fileprivate init(_ read: @escaping () async throws -> Data?) {
            self.read = read
        }

        /// The next piece, or nil after the last one.
        ///
        /// - Throws: ``HTTPClientError`` when the rest does not arrive; `CancellationError`.
        public mutating func next() async throws -> Data? {
            while let piece = try await read() {
                if !piece.isEmpty { return piece }
            }
            return nil
        }
    }

    private enum Source {
        case whole(Data)
        case pieces(@Sendable () -> () async throws -> Data?, trailers: @Sendable () -> HTTPFields)
    }

    private let source: Source

    /// The total number of bytes, if it is known before they arrive.
    public let size: Int64?

    /// All bytes, if they are in memory; nil for a body that arrives in pieces.
    ///
    /// A whole body can be read, and a request with it sent, more than once.
    public var whole: Data? {
        if case .whole(let data) = source { data } else { nil }
    }

    /// The trailer fields (RFC 9110, section 6.5), which are empty until the last piece has been read.
    public var trailers: HTTPFields {
        if case .pieces(_, let trailers) = source { trailers() } else { [:] }
    }

    /// Creates a whole body.
    public init(_ data: Data) {
        size = Int64(data.count)
        source = .whole(data)
    }

    /// Creates a body that arrives in pieces.
    ///
    /// - Parameters:
    ///   - pieces: The bytes.
    ///   - size: The total number of bytes, if it is known.
    ///   - trailers: Returns the trailer fields; called after the last piece.
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

    /// Creates the reader of the pieces.
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

    /// Reads all bytes.
    ///
    /// - Throws: `tooLarge` as soon as there are more than `limit`; the errors of reading.
    public func collect(upTo limit: Int, orThrow tooLarge: @autoclosure () -> any Error) async throws -> Data {
        if let size, size > limit { throw tooLarge() }
        if let whole { return whole }
        var data = Data()
        for try await piece in self {
            guard piece.count <= limit - data.count else { throw tooLarge() }
            // A single piece need not be copied.
            if data.isEmpty { data = piece } else { data.append(piece) }
        }
        return data
    }

    /// Releases the body of a response that is not used.
    ///
    /// A small body is read to its end, so that its connection can be reused. Otherwise the connection is closed.
    public func discard() async {
        guard whole == nil else { return }
        var reader = makeAsyncIterator()
        guard let size, size <= 4096 else { return }
        var rest = size
        while rest >= 0, let piece = try? await reader.next() { rest -= Int64(piece.count) }
    }
}

extension HTTPBody? {
    package var canBeSentAgain: Bool { map { $0.whole != nil } ?? true }
}
