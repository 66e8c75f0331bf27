import FeedFeature
import Foundation
import Hummingbird

extension UUID {
    /// Reads a UUID that a client sent.
    ///
    /// - Throws: `InvalidMessage` that names the field.
    init(field: String, text: String) throws {
        guard let uuid = UUID(uuidString: text) else {
            throw InvalidMessage(field: field, reason: "must be a UUID, not \(text.quoted)")
        }
        self = uuid
    }
}

extension RequestContext {
    /// The image that the path names.
    var imageID: UUID {
        get throws { try UUID(field: "The image's id", text: parameters.get("id") ?? "") }
    }
}

extension String {
    /// The text as it stands in an error: its beginning only, and something to see where there is nothing.
    var quoted: String { isEmpty ? "empty" : String(prefix(64)) }
}
