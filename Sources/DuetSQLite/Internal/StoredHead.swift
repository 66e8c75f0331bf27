import DuetHTTPCaching
import Foundation

/// A head as it is in the database.
struct StoredHead: Sendable {
    let bytes: Data
    /// What counts against the capacity.
    let size: Int64

    /// Before the rest there are eight bytes of its checksum.
    init(_ response: StoredResponse) throws {
        let content = try JSONEncoder().encode(response)
        bytes = unsafe withUnsafeBytes(of: content.checksum.bigEndian) { unsafe Data($0) } + content
        size = response.approximateSize
    }

    static func decode(_ bytes: Data) throws -> StoredResponse {
        let content = Data(bytes.dropFirst(8))
        guard
            bytes.prefix(8).reduce(UInt64(0), { $0 << 8 | UInt64($1) })
                == UInt64(bitPattern: content.checksum)
        else {
            throw CocoaError(.coderReadCorrupt)
        }
        return try JSONDecoder().decode(StoredResponse.self, from: content)
    }
}
