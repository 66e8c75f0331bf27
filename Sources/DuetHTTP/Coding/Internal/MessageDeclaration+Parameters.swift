extension MessageDeclaration {
    /// A parameter of the query, as far as the declaration shows it.
    private struct Parameter {
        let name: String
        /// The coding keys that lead to it.
        let path: String
        let node: ProbeNode
    }

    /// What keeps a query from being read back: clashes of names, and values that no query holds.
    var parameterFaults: [String] {
        var faults: [String] = []
        var taken: [String: String] = [:]
        let selfTold = selfTold
        func claim(_ name: String, _ path: String) {
            if let other = taken[name], other != path {
                faults.append("has \(other) and \(path) under the one name \(name). \(Self.advice(other, path))")
            }
            taken[name] = taken[name] ?? path
        }
        func visit(_ node: ProbeNode, _ parent: String) {
            for (key, node) in node.properties {
                let path = parent.isEmpty ? key : "\(parent).\(key)"
                let name: String
                switch parent.isEmpty ? layout.place(of: key) : .query(layout.names.name(key)) {
                case .body: continue
                case .path(let placeholder):
                    claim("{\(placeholder)}", path)
                    continue
                case .query(let parameter), .element(let parameter, _): name = parameter
                case .message: continue
                }
                switch node.kind {
                case .scalar, .unknown: claim(name, path)
                case .cases: claim(name, path)
                case .list:
                    claim(name, path)
                    if node.isOptional { claim(name + "[]", path) }
                    switch node.element.kind {
                    case .object, .cases, .dictionary, .list:
                        faults.append(
                            "has a list of more than single values, \(path), which a URL cannot hold. Send it in a body."
                        )
                    case .scalar, .unknown: break
                    }
                    if node.element.isOptional {
                        faults.append("has a list of optionals, \(path), which a URL cannot hold. Leave nil out of it.")
                    }
                case .dictionary:
                    faults.append(
                        "has a dictionary, \(path), which a URL cannot hold. Make it a struct, or send it in a body."
                    )
                case .object:
                    // What is empty and not nil is told by a parameter of the property's own name.
                    if node.isOptional, !selfTold.contains(name) { claim(name, path) }
                    visit(node, path)
                }
            }
        }
        visit(root, "")
        return faults
    }

    /// Names of values that are never empty, because a single value of the same name is always in them.
    var selfTold: Set<String> {
        func visit(_ node: ProbeNode) -> Set<String> {
            node.properties.reduce(into: []) { told, property in
                let name = layout.names.name(property.key)
                let isTold = property.node.properties.contains {
                    layout.names.name($0.key) == name && $0.node.kind == .scalar && !$0.node.isOptional
                }
                if isTold { told.insert(name) }
                told.formUnion(visit(property.node))
            }
        }
        return visit(root)
    }

    /// What to do about two properties of one name.
    private static func advice(_ first: String, _ second: String) -> String {
        let (keys, other) = (first.split(separator: "."), second.split(separator: "."))
        guard keys.last == other.last else { return "Give one of them another in parameterNames." }
        let advice = "Rename one of the properties, as parameterNames would rename both"
        return other.starts(with: keys) ? "\(advice), or let \(second) be neither optional nor a list." : "\(advice)."
    }

    /// Members of one JSON object that have one name, at any depth.
    func objectClashes(_ node: ProbeNode, _ names: KeyNames) -> [String] {
        let byName = Dictionary(grouping: node.properties.map(\.key), by: names.name)
        let clashes = byName.filter { $0.value.count > 1 }.sorted { $0.key < $1.key }.map { name, keys in
            "has \(keys.joined(separator: " and ")) under the one name \(name). Rename one of them."
        }
        return clashes
            + node.properties.flatMap { property in
                let isMany = property.node.kind == .list || property.node.kind == .dictionary
                return objectClashes(isMany ? property.node.element : property.node, names.nested)
            }
    }

    /// Defaults that stand for nothing, or that a message could not be told from.
    var defaultFaults: [String] {
        defaults.keys.sorted().compactMap { name in
            guard layout.content != .object else {
                return "has a default for \(name), but its properties are in a body, which has none. Remove it."
            }
            guard !layout.template.placeholders.contains(name) else {
                return "has a default for \(name), which the path always has. Remove it."
            }
            guard let node = Self.node(named: name, in: root, layout.names) else {
                guard isComplete else { return nil }
                return "has a default for \(name), but no parameter of this wire name. Correct or remove it."
            }
            if node.isOptional || node.kind == .list || node.kind == .object {
                return
                    "has a default for \(name), which may be left out to mean nothing. Remove it, or make it a single value."
            }
            return node.refusesDefault ? "has a default for \(name) that cannot be read as its value. Correct it." : nil
        }
    }

    private static func node(named name: String, in node: ProbeNode, _ names: KeyNames) -> ProbeNode? {
        for (key, node) in node.properties {
            if names.name(key) == name { return node }
            if node.kind == .object, let found = Self.node(named: name, in: node, names) { return found }
        }
        return nil
    }
}
