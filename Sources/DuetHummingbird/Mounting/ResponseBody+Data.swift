public import Foundation
public import Hummingbird
import NIOCore

extension ResponseBody {
    /// Creates a body that shares the memory of `data`, and sends it in pieces.
    ///
    /// While a slow client reads a large body, its connection needs memory for one piece only.
    public init(data: Data) {
        self.init(data: data, keeping: nil)
    }

    /// Creates a body that also keeps an object until it is sent.
    init(data: Data, keeping object: (any AnyObject & Sendable)?) {
        guard data.count > Data.pieceSize else {
            self.init(byteBuffer: ByteBuffer(bytes: data))
            return
        }
        self.init(contentLength: data.count) { writer in
            for piece in data.pieces { try await writer.write(piece) }
            try await writer.finish(nil)
            withExtendedLifetime(object) {}
        }
    }
}

extension Data {
    /// The size of the pieces in which large content is sent, in bytes.
    fileprivate static let pieceSize = 65_536

    /// The content in pieces that are copied one after the other.
    var pieces: some Sequence<ByteBuffer> {
        stride(from: startIndex, to: endIndex, by: Self.pieceSize).lazy.map { start in
            ByteBuffer(bytes: self[start..<Swift.min(start + Self.pieceSize, endIndex)])
        }
    }
}
