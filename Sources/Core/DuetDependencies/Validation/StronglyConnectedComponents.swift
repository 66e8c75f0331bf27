/// Finds the groups of nodes that can all reach each other in a graph.
///
/// This is the algorithm of Tarjan, "Depth-First Search and Linear Graph Algorithms", SIAM Journal on Computing 1,
/// 1972, without recursion because a graph may be deeper than a thread's stack.
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

    /// Returns the groups that contain a cycle, each sorted: groups of several nodes, and single nodes with an edge to
    /// themselves.
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

    /// Removes the group that begins with `node` from the stack.
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
