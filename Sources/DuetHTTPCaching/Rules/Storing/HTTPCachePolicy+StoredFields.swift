import DuetHTTP
import Foundation
package import HTTPTypes

extension HTTPCachePolicy {
    /// The head with the fields that are stored, and with a date (RFC 9111, section 3.1; RFC 9110, section 6.6.1).
    func storedHead(of response: HTTPResponse, at received: Date) -> HTTPResponse {
        var head = response
        head.headerFields = storedFields(of: response.headerFields)
        if !head.headerFields.contains(.date) { head.headerFields[.date] = HTTPDate.text(received) }
        return head
    }

    /// Removes connection fields, and in a shared cache private fields.
    func storedFields(of fields: HTTPFields) -> HTTPFields {
        var left = Self.connectionFields
        for member in fields[values: .connection].flatMap(FieldList.members) {
            if let name = HTTPField.Name(member.text), !Self.decisiveFields.contains(name) { left.insert(name) }
        }
        if isShared {
            for line in [CacheControl(fields)]
                + targetedFields.compactMap({ CacheControl(targeted: fields[values: $0]) })
            {
                left.formUnion((line.isPrivate?.names ?? []).subtracting(Self.decisiveFields))
            }
        }
        return fields.contains { left.contains($0.name) }
            ? HTTPFields(fields.filter { !left.contains($0.name) }) : fields
    }

    /// Fields that always concern one connection, whatever `Connection` contains (RFC 9110, section 7.6.1).
    package static let connectionFields: Set<HTTPField.Name> = [
        .connection, .known("Keep-Alive"), .known("Proxy-Connection"), .te, .transferEncoding, .upgrade,
        .proxyAuthenticate, .proxyAuthenticationInfo, .proxyAuthorization,
    ]

    /// Fields that never concern one connection, whatever `Connection` contains (RFC 9110, section 7.6.1).
    ///
    /// Removing them would change how a response may be used.
    package static let decisiveFields: Set<HTTPField.Name> = [
        .age, .cacheControl, .known("CDN-Cache-Control"), .contentEncoding, .contentLength, .contentLocation,
        .contentRange, .contentType, .date, .eTag, .expires, .lastModified, .vary,
    ]
}
