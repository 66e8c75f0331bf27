package import DuetHTTP
package import Foundation
package import HTTPTypes

/// The response fields that concern caching, parsed once.
package struct CachingFields: Sendable, Hashable {
    package internal(set) var control: CacheControl
    /// The time of generation (RFC 9110, section 6.6.1), or the time of receipt without a valid date.
    package let date: Date
    /// The time when the response expires (RFC 9111, section 5.3); an invalid date is in the past.
    package let expires: Date?
    /// The first number of the first `Age` line, or 0 if it is invalid (RFC 9111, section 5.1).
    package let age: Int
    package let lastModified: Date?
    package let entityTag: EntityTag?
    /// The groups of the response (RFC 9875); nil for none.
    let groups: [String]?

    package init(_ fields: HTTPFields, received: Date) {
        var control = CacheControl()
        // The first of several lines counts, even if it is invalid.
        var date, expires, lastModified: Date??
        var age: Int?
        var entityTag: EntityTag??
        var groups: [String] = []
        func time(_ value: String) -> Date? { HTTPDate.parse(value.utf8.trimmed, now: received) }
        for field in fields {
            switch field.name.canonicalName {
            case "cache-control": control.add(line: field.value)
            case "date": if date == nil { date = .some(time(field.value)) }
            case "expires": if expires == nil { expires = .some(time(field.value)) }
            case "last-modified": if lastModified == nil { lastModified = .some(time(field.value)) }
            case "age":
                age = age ?? FieldList.members(of: field.value).first.flatMap { DeltaSeconds.parse($0) } ?? 0
            case "cache-groups": groups.append(field.value)
            case "etag": if entityTag == nil { entityTag = .some(EntityTag(field.bytes)) }
            default: break
            }
        }
        self.control = control
        self.date = (date ?? nil) ?? received
        self.expires = expires.map { $0 ?? .distantPast }
        self.age = age ?? 0
        self.lastModified = lastModified ?? nil
        self.entityTag = entityTag ?? nil
        self.groups = groups.isEmpty ? nil : StringList.parse(groups)
    }
}
