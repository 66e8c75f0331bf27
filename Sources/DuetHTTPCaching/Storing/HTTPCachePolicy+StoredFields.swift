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

    /// Without those of the connection, and in a shared cache without those that are private.
    func storedFields(of fields: HTTPFields) -> HTTPFields {
        var left: Set<HTTPField.Name> = []
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
        func isLeft(_ field: HTTPField) -> Bool { Self.isOfTheConnection(field.name) || left.contains(field.name) }
        return fields.contains(where: isLeft) ? HTTPFields(fields.filter { !isLeft($0) }) : fields
    }

    private static func isOfTheConnection(_ name: HTTPField.Name) -> Bool {
        switch name.canonicalName {
        case "connection", "keep-alive", "proxy-connection", "te", "transfer-encoding", "upgrade",
            "proxy-authenticate", "proxy-authentication-info", "proxy-authorization":
            true
        default: false
        }
    }

    /// Taking these away would change what may be done with a response: they are never about one connection, whatever
    /// `Connection` says (RFC 9110, section 7.6.1).
    package static let decisiveFields: Set<HTTPField.Name> = [
        .age, .cacheControl, .known("CDN-Cache-Control"), .contentEncoding, .contentLength, .contentLocation,
        .contentRange, .contentType, .date, .eTag, .expires, .lastModified, .vary,
    ]
}
