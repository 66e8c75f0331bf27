import DuetHTTPCaching
import Foundation

/// A head as it is in the database.
struct StoredHead: Sendable {
    let bytes: Data
    /// What counts against the capacity.
    let size: Int64

    init(_ response: StoredResponse) throws {
        bytes = try JSONEncoder().encode(response)
        size = response.approximateSize
    }

    static func decode(_ bytes: Data) throws -> StoredResponse {
        try JSONDecoder().decode(StoredResponse.self, from: bytes)
    }
}
