import Foundation
import Synchronization

/// An event as it is sent.
struct EncodedEvent {
    /// The same for the same content, also on another server.
    let id: String
    let bytes: Data
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
    /// Others wait for a large one that is being encoded, because encoding it again would take as long.
    func event(of content: Data) -> EncodedEvent {
        guard content.count >= Self.size else { return Self.encode(content) }
        return recent.withLock { recent in
            if let known = recent.first(where: { $0.content == content }) { return known.event }
            let event = Self.encode(content)
            recent = [(content, event)] + recent.prefix(Self.limit - 1)
            return event
        }
    }

    private static func encode(_ content: Data) -> EncodedEvent {
        let id = content.digest
        return EncodedEvent(id: id, bytes: ServerSentEvent(id: id, data: content).encoded)
    }
}
