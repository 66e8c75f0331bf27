package import HTTPTypes

extension CacheControl {
    /// Reads the directives of all lines (RFC 9111, section 5.2).
    package init(_ lines: [String]) {
        for line in lines {
            for member in FieldList.members(of: line) {
                add(member)
            }
        }
    }

    package init(_ fields: HTTPFields) {
        self.init(fields[values: .cacheControl])
    }

    /// Around `=` there is no white space; with some the directive is there, but its argument is not.
    private mutating func add(_ member: ArraySlice<UInt8>) {
        let name = member.prefix { $0 != Bytes.equals }
        let bareName = name.trimmed
        guard !bareName.isEmpty, bareName.allSatisfy(Bytes.isToken) else { return }
        var argument = DirectiveArgument.none
        if name.endIndex < member.endIndex {
            let text = member[(name.endIndex + 1)...]
            if bareName.count < name.count {
                argument = .invalid
            } else if let unquoted = text.unquoted {
                argument = .value(unquoted)
            } else {
                argument = !text.isEmpty && text.allSatisfy(Bytes.isToken) ? .value(Array(text)) : .invalid
            }
        }
        add(String(decoding: bareName.map(Bytes.lowercased), as: UTF8.self), argument)
    }
}
