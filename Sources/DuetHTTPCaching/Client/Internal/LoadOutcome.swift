import DuetHTTP
import Foundation
import HTTPTypes

/// What a load has come to when its head is there.
struct LoadOutcome: Sendable {
    /// For the one who began the load.
    let answer: CacheAnswer
    let sharing: Sharing

    /// Whether those who ask the same may get it, so that it is of use to wait for it.
    var isShared: Bool {
        if case .none = sharing { false } else { true }
    }

    /// What it means for those who joined.
    enum Sharing: Sendable {
        /// Each has to ask for itself.
        case none
        /// A stored response holds, and can be found in the store.
        case inStore
        /// The origin failed; each may have something stored that stands in for it.
        case failure
        /// The answer is for those whom this response may answer; its body comes to all.
        case response(StoredResponse)
    }
}

/// An answer of the cache, of which the body may still have to be got from its load.
struct CacheAnswer: Sendable {
    enum Content: Sendable {
        case body(HTTPBody)
        /// The pieces that the load hands out.
        case pieces(size: Int64?)
    }

    var head: HTTPResponse
    let content: Content
    var status: CacheStatus
}
