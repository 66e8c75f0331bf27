import DuetHTTP
import Foundation
import Synchronization

/// The groups of responses that unsafe requests have made stale (RFC 9875), since the cache was created.
final class GroupInvalidations: Sendable {
    private struct Group: Hashable {
        let origin: Substring
        let name: String
    }

    private struct State {
        var last: [Group: Date] = [:]
        /// When groups were forgotten.
        var floor = Date.distantPast
    }

    /// The number of groups at which all are forgotten, and everything is stale.
    private static let limit = 65_536

    private let start: Date
    private let state = Mutex(State())

    init(at start: Date) {
        self.start = start
    }

    func invalidate(_ groups: [String], of uri: String, at now: Date) {
        state.withLock { state in
            if state.last.count + groups.count > Self.limit { state = State(floor: now) }
            for group in groups { state.last[Group(origin: Self.origin(of: uri), name: group)] = now }
        }
    }

    /// The response, or one that is not used without validation if a group of it was made stale.
    ///
    /// Nobody knows what has happened to one with groups before this launch, so it is not fresh.
    func checked(_ response: StoredResponse, of uri: String) -> StoredResponse {
        guard let groups = response.fields.groups else { return response }
        let origin = Self.origin(of: uri)
        let requested = response.times.requested
        let isValid = state.withLock { state in
            requested > state.floor
                && groups.allSatisfy { requested > state.last[Group(origin: origin, name: $0)] ?? .distantPast }
        }
        if isValid, requested >= start { return response }
        var fields = response.fields
        if isValid { fields.control.maxAge = 0 } else { fields.control.noCache = .response }
        return response.with(fields: fields)
    }

    /// The origin of a normalized URI.
    static func origin(of uri: String) -> Substring {
        let host = uri.firstRange(of: "://")?.upperBound ?? uri.startIndex
        return uri[..<(uri[host...].firstIndex(of: "/") ?? uri.endIndex)]
    }
}
