public import Foundation
public import Hummingbird
import NIOCore
import ServiceContextModule

extension ResponseBody {
    /// Creates a body that shares the memory of `data`, and sends it in pieces.
    ///
    /// While a slow client reads a large body, its connection needs memory for one piece only.
    public init(data: Data) {
        self.init(data: data, keeping: nil)
    }

    init(data: Data, keeping object: (any AnyObject & Sendable)?) {
        guard data.count > Data.pieceSize else {
            self.init(byteBuffer: ByteBuffer(bytes: data))
            return
        }
        self.init(contentLength: data.count) { writer in
            try await writer.write(inPieces: data)
            try await writer.finish(nil)
            withExtendedLifetime(object) {}
        }
    }
}

extension ResponseBodyWriter {
    /// Writes large content in pieces, of which a slow client's connection holds one or two.
    @concurrent
    package mutating func write(inPieces data: Data) async throws {
        let presence = ServiceContext.current?.clientPresence
        for start in stride(from: data.startIndex, to: data.endIndex, by: Data.pieceSize) {
            try await write(ByteBuffer(bytes: data[start..<min(start + Data.pieceSize, data.endIndex)]))
            await presence?.waitForWrites()
        }
    }
}

extension Data {
    /// The size of the pieces in which large content is sent, in bytes.
    fileprivate static let pieceSize = 65_536
}
