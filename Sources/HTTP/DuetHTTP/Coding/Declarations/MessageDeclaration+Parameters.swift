extension MessageDeclaration {
    /// Faults of a query: names that conflict, and values that a query cannot hold.
    var parameterFaults: [String] {
        var faults: [String] = []
        var taken: [String: String] = [:]
        let selfMarking = selfMarking
        func claim(_ name: String, _ path: String) {
            if let other = taken[name], other != path {
                faults.append("has \(other) and \(path) under the one name \(name). \(Self.advice(other, path))")
            }
            taken[name] = taken[name] ?? path
        }
        func visit(_ schema: ReflectedSchema, _ parent: String) {
            for (key, schema) in schema.properties {
                let path = parent.isEmpty ? key : "\(parent).\(key)"
                let name: String
                switch parent.isEmpty ? layout.place(of: key) : .query(layout.names.name(key)) {
                case .body, .message: continue
                case .path(let placeholder):
                    claim("{\(placeholder)}", path)
                    continue
                case .query(let parameter), .element(let parameter, _): name = parameter
                }
                if schema.distinguishesNull {
                    faults.append("has \(path), whose null a URL cannot hold. Make it optional, or send it in a body.")
                }
                switch schema.kind {
                case .scalar, .unknown, .cases: claim(name, path)
                case .list:
                    claim(name, path)
                    if schema.isOptional { claim(name + "[]", path) }
                    switch schema.element.kind {
                    case .object, .cases, .dictionary, .list:
                        faults.append(
                            """
                            has a list of more than single values, \(path), which a URL cannot hold. Send it in a body.
                            """
                        )
                    case .scalar, .unknown: break
                    }
                    if schema.element.isOptional {
                        faults.append("has a list of optionals, \(path), which a URL cannot hold. Leave nil out of it.")
                    }
                case .dictionary:
                    faults.append(
                        "has a dictionary, \(path), which a URL cannot hold. Make it a struct, or send it in a body."
                    )
                case .object:
                    // An empty value is distinguished from nil by a parameter of the property's own name.
                    if schema.isOptional, !selfMarking.contains(name) { claim(name, path) }
                    visit(schema, path)
                }
            }
        }
        visit(root, "")
        return faults
    }

    /// The names of nested values that always contain a single value of the same name.
    var selfMarking: Set<String> {
        let marked = root.allProperties.compactMap { key, schema in
            let name = layout.names.name(key)
            let isMarked = schema.properties.contains {
                layout.names.name($0.key) == name && $0.schema.kind == .scalar && !$0.schema.isOptional
            }
            return isMarked ? name : nil
        }
        return Set(marked)
    }

    /// How to correct two properties of one name.
    private static func advice(_ first: String, _ second: String) -> String {
        let (keys, other) = (first.split(separator: "."), second.split(separator: "."))
        guard keys.last == other.last else { return "Give one of them another in parameterNames." }
        let advice = "Rename one of the properties, as parameterNames would rename both"
        return other.starts(with: keys) ? "\(advice), or let \(second) be neither optional nor a list." : "\(advice)."
    }

    /// Members of a JSON object that have the same name, at any depth.
    func objectClashes(_ schema: ReflectedSchema, _ names: KeyNames) -> [String] {
        let byName = Dictionary(grouping: schema.properties.map(\.key), by: names.name)
        let clashes = byName.filter { $0.value.count > 1 }.sorted { $0.key < $1.key }.map { name, keys in
            "has \(keys.joined(separator: " and ")) under the one name \(name). Rename one of them."
        }
        return clashes
            + schema.properties.flatMap { property in
                let isMany = property.schema.kind == .list || property.schema.kind == .dictionary
                return objectClashes(isMany ? property.schema.element : property.schema, names.nested)
            }
    }

    /// Defaults of unknown parameters, and defaults that a value could not be distinguished from.
    var defaultFaults: [String] {
        defaults.keys.sorted().compactMap { name in
            guard layout.content != .object else {
                return "has a default for \(name), but its properties are in a body, which has none. Remove it."
            }
            guard !layout.template.placeholders.contains(name) else {
                return "has a default for \(name), which the path always has. Remove it."
            }
            guard let schema = root.allProperties.first(where: { layout.names.name($0.key) == name })?.schema else {
                guard isComplete else { return nil }
                return "has a default for \(name), but no parameter of this wire name. Correct or remove it."
            }
            if schema.isOptional || schema.kind == .list || schema.kind == .object {
                return """
                    has a default for \(name), which may be left out to mean nothing. Remove it, or make it a single \
                    value.
                    """
            }
            guard schema.refusesDefault else { return nil }
            return "has a default for \(name) that cannot be read as its value. Correct it."
        }
    }
}
