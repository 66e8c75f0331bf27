import Foundation
import Synchronization

package final class EncodedEvent: Sendable {
    /// The same for the same content, also on another server.
    let id: String
    let bytes: Data

    init(_ content: Data) {
        id = content.digest()
        bytes = ServerSentEvent(id: id, data: content).encoded
    }
}

/// The events of the last large contents, so that all streams of one value send the same bytes.
///
/// Hashing and encoding a large content for each of a thousand streams would delay everything else.
final class EncodedEvents: Sendable {
    private static let limit = 4
    private static let size = 16_384

    private let recent = Mutex<[(content: Data, event: EncodedEvent)]>([])

    /// Returns the event of a content.
    ///
    /// It is encoded without a lock, so that the streams of other contents do not wait for a large one.
    func event(of content: Data) -> EncodedEvent {
        guard content.count >= Self.size else { return EncodedEvent(content) }
        if let event = recent.withLock({ recent in recent.first { $0.content == content }?.event }) { return event }
        let event = EncodedEvent(content)
        recent.withLock { $0 = [(content, event)] + $0.prefix(Self.limit - 1) }
        return event
    }
}
