import DuetHTTPCaching
import Foundation

/// The row of a head.
struct HeadRow: Sendable {
    enum Content: Sendable {
        case known(StoredResponse)
        case bytes(Data)
    }

    let id: HTTPCacheEntry.ID
    /// Another one for every head that the entry has had.
    let revision: Int64
    let content: Content
}
