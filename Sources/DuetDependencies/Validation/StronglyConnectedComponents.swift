/// Finds the groups of a graph in which each reaches each.
///
/// The algorithm of Tarjan, "Depth-First Search and Linear Graph Algorithms", SIAM Journal on Computing 1, 1972; without
/// recursion, because a graph may be deeper than a thread's stack.
struct StronglyConnectedComponents {
    private let edges: [[Int]]
    private var order: [Int?]
    private var lowest: [Int]
    private var isOnStack: [Bool]
    private var stack: [Int] = []
    private var count = 0
    private var components: [[Int]] = []

    init(_ edges: [[Int]]) {
        self.edges = edges
        order = Array(repeating: nil, count: edges.count)
        lowest = Array(repeating: 0, count: edges.count)
        isOnStack = Array(repeating: false, count: edges.count)
    }

    /// The groups that hold a ring, each sorted: those of more than one, and of one that leads to itself.
    mutating func find() -> [[Int]] {
        for node in edges.indices where order[node] == nil { visit(node) }
        return components
    }

    private mutating func visit(_ root: Int) {
        var visits = [(node: root, edge: 0)]
        enter(root)
        while let (node, edge) = visits.last {
            guard edge < edges[node].count else {
                visits.removeLast()
                if let parent = visits.last?.node { lowest[parent] = min(lowest[parent], lowest[node]) }
                if lowest[node] == order[node] { close(node) }
                continue
            }
            visits[visits.count - 1].edge += 1
            let next = edges[node][edge]
            if let seen = order[next] {
                if isOnStack[next] { lowest[node] = min(lowest[node], seen) }
            } else {
                enter(next)
                visits.append((next, 0))
            }
        }
    }

    private mutating func enter(_ node: Int) {
        order[node] = count
        lowest[node] = count
        count += 1
        stack.append(node)
        isOnStack[node] = true
    }

    /// Takes the group that `node` was the first of from the stack.
    private mutating func close(_ node: Int) {
        var component: [Int] = []
        while let member = stack.popLast() {
            isOnStack[member] = false
            component.append(member)
            if member == node { break }
        }
        if component.count > 1 || edges[node].contains(node) { components.append(component.sorted()) }
    }
}
