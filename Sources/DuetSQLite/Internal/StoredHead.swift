import DuetHTTPCaching
import Foundation

/// A head as it is in the database.
struct StoredHead: Sendable {
    private let content: Data
    /// What counts against the capacity.
    let size: Int64

    init(_ response: StoredResponse) throws {
        content = try JSONEncoder().encode(response)
        size = response.approximateSize
    }

    /// Before the rest there are eight bytes of a checksum, which is that of one key alone.
    ///
    /// So what a damaged index leads to is not taken for what was asked for.
    func bytes(for key: HTTPCacheKey) -> Data {
        unsafe withUnsafeBytes(of: Self.checksum(content, key).bigEndian) { unsafe Data($0) } + content
    }

    static func decode(_ bytes: Data, for key: HTTPCacheKey) throws -> StoredResponse {
        let content = Data(bytes.dropFirst(8))
        guard
            bytes.prefix(8).reduce(UInt64(0), { $0 << 8 | UInt64($1) })
                == UInt64(bitPattern: checksum(content, key))
        else {
            throw CocoaError(.coderReadCorrupt)
        }
        return try JSONDecoder().decode(StoredResponse.self, from: content)
    }

    private static func checksum(_ content: Data, _ key: HTTPCacheKey) -> Int64 {
        Data("\(content.checksum) \(key.partition) \(key.uri)".utf8).checksum
    }
}
