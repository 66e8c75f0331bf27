import DuetHTTP
package import HTTPTypes

/// What `no-cache` and `private` speak of (RFC 9111, sections 5.2.2.4 and 5.2.2.7): the response, or some of its
/// fields.
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

    package var names: Set<HTTPField.Name> {
        if case .fields(let names) = self { names } else { [] }
    }
}

extension FieldNames? {
    /// Adds what another directive says: the stricter of both holds.
    mutating func add(_ other: FieldNames) {
        guard case .fields(var names) = self ?? .fields([]), case .fields(let others) = other else {
            self = .response
            return
        }
        // So that the names are held once, and adding to them copies none.
        self = nil
        names.formUnion(others)
        self = .fields(names)
    }
}
