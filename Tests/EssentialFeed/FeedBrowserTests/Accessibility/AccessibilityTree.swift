import DuetHTTP

/// A page as screen readers see it.
struct AccessibilityTree: Sendable {
    /// One element.
    struct Node: Hashable, Sendable {
        /// The role, such as `button`, in Chromium's words.
        let role: String

        /// The name that is read out; empty if there is none.
        let name: String

        /// The level of a heading; nil for anything else.
        let level: Int?

        init(_ role: String, _ name: String = "", level: Int? = nil) {
            self.role = role
            self.name = name
            self.level = level
        }
    }

    /// The language of the page; empty if it states none.
    let language: String

    /// The elements in the order of the document, without those that are hidden from screen readers.
    let nodes: [Node]

    init(language: String, nodes: [Node]) {
        self.language = language
        self.nodes = nodes
    }

    /// Reads the response to `Accessibility.getFullAXTree`, whose nodes are in no particular order.
    init(language: String, response: JSONValue) {
        let nodes = Dictionary(response["nodes"].elements.map { ($0["nodeId"], $0) }) { first, _ in first }
        func flattened(_ id: JSONValue) -> [Node] {
            guard let node = nodes[id] else { return [] }
            let children = node["childIds"].elements.flatMap(flattened)
            guard node["ignored"] != true else { return children }
            let level = node["properties"].elements.first { $0["name"] == "level" }?["value"]["value"].number
            let role = node["role"]["value"].string ?? ""
            return [Node(role, node["name"]["value"].string ?? "", level: level.map { Int($0) })] + children
        }
        let root = response["nodes"].elements.first { $0["parentId"] == .null }
        self.init(language: language, nodes: root.map { flattened($0["nodeId"]) } ?? [])
    }
}

extension Window {
    /// The page as screen readers see it.
    var accessibilityTree: AccessibilityTree {
        get async throws {
            let language = try await value(of: "document.documentElement.lang").string ?? ""
            return AccessibilityTree(language: language, response: try await devTools("Accessibility.getFullAXTree"))
        }
    }
}
