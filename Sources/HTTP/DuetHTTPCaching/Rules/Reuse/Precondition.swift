import DuetHTTP
import Foundation
import HTTPTypes

/// The condition by which a request finds out whether the client's copy is current (RFC 9111, section 4.3.2).
struct Precondition {
    private enum Kind {
        case none
        case any
        case tags([EntityTag])
        case since(String)
    }

    private let kind: Kind

    /// Reads `If-None-Match`, or else `If-Modified-Since` (RFC 9110, section 13.1.3).
    init(_ request: HTTPRequest) {
        let fields = request.headerFields
        if fields.contains(.ifNoneMatch) {
            let members = fields[fields: .ifNoneMatch].flatMap { FieldList.members(of: $0.bytes) }
            kind = members == [Array("*".utf8)[...]] ? .any : .tags(members.compactMap { EntityTag($0) })
        } else {
            let dates = fields[values: .ifModifiedSince]
            kind = dates.count == 1 ? .since(dates[0]) : .none
        }
    }

    func isMet(by stored: StoredResponse) -> Bool {
        switch kind {
        case .none:
            return false
        case .any:
            return true
        case .tags(let tags):
            guard let own = stored.fields.entityTag else { return false }
            return tags.contains { $0.matchesWeakly(own) }
        case .since(let text):
            // An unreadable date is not a condition. Without `Last-Modified`, the date of the response is compared.
            guard let date = HTTPDate.parse(text, now: stored.times.received) else { return false }
            return (stored.fields.lastModified ?? stored.fields.date) <= date
        }
    }
}
