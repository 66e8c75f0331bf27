public import Foundation
public import Hummingbird
import NIOCore

extension ResponseBody {
    /// The size of the pieces in which a large body is sent, in bytes.
    private static let pieceSize = 65_536

    /// Creates a body that shares the memory of `data`, and sends it in pieces.
    ///
    /// While a slow client reads a large body, its connection needs memory for one piece only.
    public init(data: Data) {
        self.init(data: data, keeping: nil)
    }

    /// Creates a body that also keeps an object until it is sent.
    init(data: Data, keeping object: (any AnyObject & Sendable)?) {
        guard data.count > Self.pieceSize else {
            self.init(byteBuffer: ByteBuffer(bytes: data))
            return
        }
        self.init(contentLength: data.count) { writer in
            var rest = data
            while !rest.isEmpty {
                try await writer.write(ByteBuffer(bytes: rest.prefix(Self.pieceSize)))
                rest = rest.dropFirst(Self.pieceSize)
            }
            try await writer.finish(nil)
            withExtendedLifetime(object) {}
        }
    }
}
