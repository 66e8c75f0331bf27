extension ProbeNode {
    /// What is wrong with a type whose keys are data where they are written in snake case, one sentence or two each.
    ///
    /// Of such a key nothing is known but its name, which leads to `some_key` and to no `someKey` back. A dictionary's keys stay
    /// as they are.
    func openKeyFaults(_ keys: HTTPCoding.Keys) -> [String] {
        guard keys == .snakeCase else { return [] }
        return openPaths("").map { path in
            """
            has keys of any name\(path.isEmpty ? "" : " in \(path)"), which would not come back from snake case. Make it a \
            dictionary, give it a CodingKey that is an enum, or set the coding's keys to .asWritten.
            """
        }
    }

    private func openPaths(_ path: String) -> [String] {
        (takesAnyKey && kind != .dictionary ? [path] : [])
            + (kind == .list || kind == .dictionary ? element.openPaths(path + "[]") : [])
            + properties.flatMap { $0.node.openPaths(path.isEmpty ? $0.key : "\(path).\($0.key)") }
    }
}
