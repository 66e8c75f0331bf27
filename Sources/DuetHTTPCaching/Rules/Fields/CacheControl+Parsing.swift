import DuetHTTP
package import HTTPTypes

extension CacheControl {
    /// Reads the directives of all lines (RFC 9111, section 5.2).
    package init(_ lines: [String]) {
        for line in lines { add(line: line) }
    }

    package init(_ fields: HTTPFields) {
        for field in fields where field.name == .cacheControl { add(line: field.value) }
    }

    mutating func add(line: String) {
        FieldList.forEachMember(of: Array(line.utf8)) { add($0) }
    }

    /// `=` has no white space around it.
    ///
    /// Otherwise the directive counts without its argument.
    private mutating func add(_ member: ArraySlice<UInt8>) {
        let name = member.prefix { $0 != FieldSyntax.equals }
        let bareName = name.trimmed
        guard !bareName.isEmpty, bareName.allSatisfy(FieldSyntax.isToken) else { return }
        var argument = DirectiveArgument.none
        if name.endIndex < member.endIndex {
            let text = member[(name.endIndex + 1)...]
            if bareName.count < name.count {
                argument = .invalid
            } else if let unquoted = text.unquoted {
                argument = .value(unquoted[...])
            } else {
                argument = !text.isEmpty && text.allSatisfy(FieldSyntax.isToken) ? .value(text) : .invalid
            }
        }
        add(bareName.text.lowercased(), argument)
    }
}
