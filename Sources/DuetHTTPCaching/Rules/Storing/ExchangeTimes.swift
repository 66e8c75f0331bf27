package import Foundation

/// The times when a request was sent and when the head of its response arrived (RFC 9111, section 4.2.3).
package struct ExchangeTimes: Sendable, Hashable, Codable {
    package var requested: Date
    package var received: Date

    package init(requested: Date, received: Date) {
        self.requested = requested
        self.received = received
    }
}
