import DuetHTTP
package import HTTPTypes

/// The secondary key: the fields that `Vary` names, with their values in the request (RFC 9111, section 4.1).
package struct SelectingFields: Sendable, Hashable, Codable {
    /// The largest number of fields that is compared.
    private static let limit = 32

    /// Sorted lowercase names with their normalized values, or nil if the request has no such field.
    package let values: [Selector]
    /// Whether the response matches no request.
    package let isUnmatchable: Bool

    package struct Selector: Sendable, Hashable, Codable {
        package let name: String
        package let value: String?
    }

    package init(_ fields: HTTPFields, of request: HTTPRequest) {
        var names: Set<String> = []
        var isUnmatchable = false
        for field in fields where field.name == .vary {
            for member in FieldList.members(of: field.value) {
                if let name = HTTPField.Name(member.text), name.canonicalName != "*" {
                    names.insert(name.canonicalName)
                } else {
                    // An invalid name might select by any field.
                    isUnmatchable = true
                }
            }
        }
        isUnmatchable = isUnmatchable || names.count > Self.limit
        let values =
            isUnmatchable
            ? []
            : names.sorted().map { Selector(name: $0, value: SelectingValue.normalized($0, in: request.headerFields)) }
        self.isUnmatchable = isUnmatchable || values.contains { SelectingValue.isLossy($0.value) }
        self.values = self.isUnmatchable ? [] : values
    }

    /// Whether a request has equivalent fields.
    package func matches(_ request: HTTPRequest) -> Bool {
        var values = RequestValues(of: request)
        return matches(&values)
    }

    /// Whether a request with cached values has equivalent fields.
    func matches(_ request: inout RequestValues) -> Bool {
        !isUnmatchable
            && values.allSatisfy { selector in
                let value = request.normalized(selector.name)
                return value == selector.value && !SelectingValue.isLossy(value)
            }
    }

    /// The approximate size of ``key`` in bytes.
    var approximateSize: Int { values.reduce(0) { $0 + $1.name.utf8.count + ($1.value?.utf8.count ?? 0) + 2 } }

    /// The fields as one text, by which a store finds equal ones; empty without `Vary`.
    ///
    /// The separators do not occur in values.
    package var key: String {
        values.map { selector in selector.value.map { "\(selector.name):\($0)" } ?? selector.name }
            .joined(separator: "\0")
    }
}
