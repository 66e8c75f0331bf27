package import DuetHTTP
package import Foundation
import HTTPTypes
import Synchronization

/// The large bodies that are being sent, so that equal ones are in memory once.
///
/// A handler usually loads the content of each response again, and a slow client may read it for a long time.
package final class SentBodies: Sendable {
    /// The size from which sharing is worth the effort, in bytes.
    package static let size = 262_144

    /// Content that is in memory as long as a response refers to it.
    package final class Content: Sendable {
        package let data: Data
        private let tag: String
        private let bodies: SentBodies

        fileprivate init(_ data: Data, _ tag: String, _ bodies: SentBodies) {
            self.data = data
            self.tag = tag
            self.bodies = bodies
        }

        deinit { bodies.forget(ObjectIdentifier(self), tag) }
    }

    /// Not a structure: Swift 6.3.1 corrupts those of a dictionary that have a weak reference and another member.
    private final class Reference: Sendable {
        let id: ObjectIdentifier
        weak let content: Content?

        init(_ content: Content) {
            id = ObjectIdentifier(content)
            self.content = content
        }
    }

    private let contents = Mutex<[String: Reference]>([:])

    package init() {}

    /// The content of a response whose entity tag is a digest of it; nil for a small one, and for a part, which has the
    /// tag of the whole.
    package func content(of response: ServedResponse) -> Content? {
        guard response.status == .ok, let data = response.body, data.count >= Self.size, response.entityTag == nil,
            let tag = response.headers[.eTag]
        else { return nil }
        return contents.withLock { contents in
            if let content = contents[tag]?.content { return content }
            let content = Content(data, tag, self)
            contents[tag] = Reference(content)
            return content
        }
    }

    /// Forgets content that is going away, unless other content has its place already.
    ///
    /// This does not load the other one: if the last response that refers to it ended meanwhile, it would go away with
    /// the lock held, and ask for the lock.
    private func forget(_ id: ObjectIdentifier, _ tag: String) {
        contents.withLock { contents in
            if contents[tag]?.id == id { contents[tag] = nil }
        }
    }
}
