import DuetHTTP
package import HTTPTypes

/// The secondary key: the fields that `Vary` names, with their values in the request (RFC 9111, section 4.1).
package struct SelectingFields: Sendable, Hashable, Codable {
    /// More than any origin selects by.
    private static let limit = 32

    /// Names in lower case, in order, with their normalized values; nil when the request has no such field.
    package let values: [Selector]
    /// Whether no request is ever answered by it.
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
                    // What cannot be read might select by anything.
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

    /// Whether the request has these fields with the same meaning.
    package func matches(_ request: HTTPRequest) -> Bool {
        var values = RequestValues(of: request)
        return matches(&values)
    }

    /// The same for one who asks about several.
    func matches(_ request: inout RequestValues) -> Bool {
        !isUnmatchable
            && values.allSatisfy { selector in
                let value = request.normalized(selector.name)
                return value == selector.value && !SelectingValue.isLossy(value)
            }
    }

    /// About how many bytes ``key`` takes.
    var approximateSize: Int { values.reduce(0) { $0 + $1.name.utf8.count + ($1.value?.utf8.count ?? 0) + 2 } }

    /// One text for a store to find equal ones by, with what no value holds between them; empty when there is no
    /// `Vary`.
    package var key: String {
        values.map { selector in selector.value.map { "\(selector.name):\($0)" } ?? selector.name }
            .joined(separator: "\0")
    }
}
