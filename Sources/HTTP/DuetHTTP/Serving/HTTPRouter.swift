import DuetContext
import HTTPTypes

/// Finds the endpoint of a request, segment by segment.
///
/// Paths form a tree. A segment matches a literal, then the placeholders with the longest literals around them, then a
/// placeholder alone. Each node is visited at most once.
struct HTTPRouter {
    private struct Node {
        var literals: [String: Int] = [:]
        /// Placeholders beside literals, those with the longest literals first.
        var patterns: [(segment: PathTemplate.Segment, node: Int)] = []
        var placeholder: Int?
        var endpoints: [(method: HTTPRequest.Method, endpoint: Int)] = []
    }

    private var nodes = [Node()]
    private let methods: [HTTPRequest.Method]
    private let templates: [PathTemplate]
    private let depth: Int

    /// Endpoints that another one hides because it has the same method and path.
    private(set) var hidden: [(first: Int, second: Int)] = []

    /// Endpoints with common paths, of which neither is matched first.
    var ambiguous: [(first: Int, second: Int)] {
        templates.indices.flatMap { first in
            templates.indices[(first + 1)...].compactMap { second in
                let isAmbiguous =
                    methods[first] == methods[second] && templates[first].precedence(over: templates[second]) == 0
                return isAmbiguous ? (first, second) : nil
            }
        }
    }

    init(_ endpoints: [(method: HTTPRequest.Method, path: String)]) {
        methods = endpoints.map(\.method)
        templates = endpoints.map { PathTemplate($0.path) }
        depth = templates.map(\.segments.count).max() ?? 0
        for (index, endpoint) in endpoints.enumerated() {
            let end = insert(templates[index])
            if let other = nodes[end].endpoints.first(where: { $0.method == endpoint.method }) {
                hidden.append((other.endpoint, index))
            } else {
                nodes[end].endpoints.append((endpoint.method, index))
            }
        }
    }

    enum Match {
        case found(Int, parameters: [String: String])
        case otherMethods([HTTPRequest.Method])
        case none
    }

    /// Routes a path.
    ///
    /// It is split before it is decoded, so that `%2F` is a slash in a value.
    func match(_ method: HTTPRequest.Method, _ path: Substring) -> Match {
        guard let segments = segments(path) else { return .none }
        var search = Search(segments: segments, method: method == .head ? .get : method)
        visit(0, 0, path, &search)
        if let found = search.found {
            let values = search.values
            let names = templates[found].placeholders
            return .found(found, parameters: Dictionary(zip(names, values)) { first, _ in first })
        }
        return search.methods.isEmpty ? .none : .otherMethods(search.methods)
    }

    private struct Search {
        let segments: [String]
        let method: HTTPRequest.Method
        var values: [String] = []
        var found: Int?
        var methods: [HTTPRequest.Method] = []
    }

    private func visit(_ node: Int, _ depth: Int, _ path: Substring, _ search: inout Search) {
        guard depth < search.segments.count else {
            for endpoint in nodes[node].endpoints {
                if endpoint.method == search.method {
                    search.found = endpoint.endpoint
                    return
                }
                for method in endpoint.method == .get ? [.get, .head] : [endpoint.method]
                where !search.methods.contains(method) {
                    search.methods.append(method)
                }
            }
            return
        }
        let segment = search.segments[depth]
        if let next = nodes[node].literals[segment] {
            visit(next, depth + 1, path, &search)
            if search.found != nil { return }
        }
        if !nodes[node].patterns.isEmpty, ![".", ".."].contains(segment) {
            let raw = path.drop { $0 == "/" }.split(separator: "/", omittingEmptySubsequences: false)[depth]
            for (pattern, next) in nodes[node].patterns {
                guard let values = pattern.values(in: raw) else { continue }
                search.values += values
                visit(next, depth + 1, path, &search)
                if search.found != nil { return }
                search.values.removeLast(values.count)
            }
        }
        guard let next = nodes[node].placeholder, !["", ".", ".."].contains(segment) else { return }
        search.values.append(segment)
        visit(next, depth + 1, path, &search)
        if search.found == nil { search.values.removeLast() }
    }

    /// The decoded segments of a path, of which the last one is empty after a slash at the end.
    ///
    /// Nil if there are more than in any template, or if another one is empty, is not percent-encoded UTF-8, or is
    /// refused by ``ForeignText``.
    private func segments(_ path: Substring) -> [String]? {
        let slash = UInt8(ascii: "/")
        let path = path.utf8.first == slash ? path.utf8.dropFirst() : path.utf8
        guard !path.isEmpty else { return [] }
        var segments: [String] = []
        segments.reserveCapacity(depth)
        var start = path.startIndex
        while true {
            let end = path[start...].firstIndex(of: slash) ?? path.endIndex
            let isSlashAtEnd = start == end && end == path.endIndex && !segments.isEmpty
            guard segments.count < depth, start != end || isSlashAtEnd,
                let segment = PercentEncoding.decode(Substring(path[start..<end])),
                !ForeignText.hasLongRun(segment.utf8)
            else { return nil }
            segments.append(segment)
            guard end != path.endIndex else { return segments }
            start = path.index(after: end)
        }
    }

    private mutating func insert(_ template: PathTemplate) -> Int {
        template.segments.reduce(0) { node, segment in
            if let literal = segment.literal {
                let key = PercentEncoding.decode(literal[...]) ?? literal
                let next = nodes[node].literals[key] ?? append()
                nodes[node].literals[key] = next
                return next
            }
            if segment.isPlaceholder {
                let next = nodes[node].placeholder ?? append()
                nodes[node].placeholder = next
                return next
            }
            let patterns = nodes[node].patterns
            if let known = patterns.first(where: { $0.segment.literals == segment.literals }) { return known.node }
            let next = append()
            let index = patterns.firstIndex { $0.segment.specificity < segment.specificity } ?? patterns.count
            nodes[node].patterns.insert((segment, next), at: index)
            return next
        }
    }

    private mutating func append() -> Int {
        nodes.append(Node())
        return nodes.count - 1
    }
}
