import DuetHTTP
package import HTTPTypes

/// The scope of `no-cache` and `private`: the response or some of its fields (RFC 9111, sections 5.2.2.4 and 5.2.2.7).
package enum FieldNames: Sendable, Hashable {
    case response
    case fields(Set<HTTPField.Name>)

    /// Invalid names mean the whole response, because omitting too little would be worse.
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
    /// Adds the scope of another directive.
    ///
    /// The stricter one applies.
    mutating func add(_ other: FieldNames) {
        guard case .fields(var names) = self ?? .fields([]), case .fields(let others) = other else {
            self = .response
            return
        }
        // The names have one owner, so that adding to them copies nothing.
        self = nil
        names.formUnion(others)
        self = .fields(names)
    }
}
