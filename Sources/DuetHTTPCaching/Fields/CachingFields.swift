import DuetHTTP
package import Foundation
package import HTTPTypes

/// What the fields of a response say about caching it, read once.
package struct CachingFields: Sendable, Hashable {
    package let control: CacheControl
    /// The lines of fields named like `CDN-Cache-Control` (RFC 9213), which the policy reads that obeys them.
    package let targeted: [HTTPField.Name: [String]]
    /// When it was generated (RFC 9110, section 6.6.1); without a date that can be read, when it came.
    package let date: Date
    /// RFC 9111, section 5.3; a date that cannot be read lies in the past.
    package let expires: Date?
    /// RFC 9111, section 5.1: the first number of the first line; 0 when it is none.
    package let age: Int
    package let lastModified: Date?
    package let entityTag: EntityTag?
    package let setsCookie: Bool

    package init(_ fields: HTTPFields, received: Date) {
        func date(_ name: HTTPField.Name) -> Date?? {
            fields[values: name].first.map { HTTPDate.parse(Array($0.utf8)[...].trimmed.text, now: received) }
        }
        control = CacheControl(fields)
        var targeted: [HTTPField.Name: [String]] = [:]
        for field in fields where field.name.canonicalName.hasSuffix("-cache-control") {
            targeted[field.name, default: []].append(field.value)
        }
        self.targeted = targeted
        self.date = (date(.date) ?? nil) ?? received
        expires = date(.expires).map { $0 ?? .distantPast }
        age =
            fields[values: .age].first.flatMap { FieldList.members(of: $0).first }.flatMap { DeltaSeconds.parse($0) }
            ?? 0
        lastModified = date(.lastModified) ?? nil
        entityTag = fields[fields: .eTag].first.flatMap { EntityTag($0.bytes) }
        setsCookie = fields.contains(.setCookie)
    }
}
