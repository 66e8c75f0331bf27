package import HTTPTypes

/// What `no-cache` and `private` speak of (RFC 9111, sections 5.2.2.4 and 5.2.2.7): the response, or some of its fields.
package enum FieldNames: Sendable, Hashable {
    case response
    case fields(Set<HTTPField.Name>)

    /// Names that cannot be read mean the whole response, because leaving out too little would be worse.
    init(_ argument: ArraySlice<UInt8>?) {
        guard let argument, !argument.isEmpty else {
            self = .response
            return
        }
        var names: Set<HTTPField.Name> = []
        for member in FieldList.members(of: argument.text) {
            guard let name = HTTPField.Name(member.text) else {
                self = .response
                return
            }
            names.insert(name)
        }
        self = names.isEmpty ? .response : .fields(names)
    }

    /// The stricter of what two directives say.
    func union(_ other: FieldNames?) -> FieldNames {
        guard case .fields(let names) = self, case .fields(let others) = other ?? .fields([]) else { return .response }
        return .fields(names.union(others))
    }

    package var names: Set<HTTPField.Name> {
        if case .fields(let names) = self { names } else { [] }
    }
}
