/// IDs in the order of their last use, with operations in constant time.
///
/// A doubly linked list in an array, whose links are indices: an operation looks up one ID, and no neighbors.
package struct UseOrder<ID: Hashable & Sendable>: Sendable {
    private struct Node {
        var id: ID
        var earlier: Int?
        var later: Int?
    }

    private var indices: [ID: Int] = [:]
    private var nodes: [Node] = []
    private var free: [Int] = []
    private var firstIndex: Int?
    private var lastIndex: Int?

    package var first: ID? { firstIndex.map { nodes[$0].id } }

    package var count: Int { indices.count }

    package init() {}

    package func contains(_ id: ID) -> Bool { !indices.isEmpty && indices[id] != nil }

    /// Moves an ID to the end, or adds it.
    ///
    /// Specialized, because other modules would look up the generic types at each use.
    @_specialize(where ID == StoredResponse.ID)
    package mutating func use(_ id: ID) {
        if let index = indices[id] {
            guard index != lastIndex else { return }
            unlink(index)
            link(index)
        } else {
            let index = free.popLast() ?? nodes.count
            if index == nodes.count { nodes.append(Node(id: id)) } else { nodes[index].id = id }
            indices[id] = index
            link(index)
        }
    }

    /// Removes an ID, if it exists.
    @_specialize(where ID == StoredResponse.ID)
    package mutating func remove(_ id: ID) {
        guard !indices.isEmpty, let index = indices.removeValue(forKey: id) else { return }
        // Releases the memory of removed IDs.
        guard !indices.isEmpty else { return self = UseOrder() }
        unlink(index)
        free.append(index)
    }

    private mutating func link(_ index: Int) {
        nodes[index].earlier = lastIndex
        nodes[index].later = nil
        if let lastIndex { nodes[lastIndex].later = index } else { firstIndex = index }
        lastIndex = index
    }

    private mutating func unlink(_ index: Int) {
        let (earlier, later) = (nodes[index].earlier, nodes[index].later)
        if let earlier { nodes[earlier].later = later } else { firstIndex = later }
        if let later { nodes[later].earlier = earlier } else { lastIndex = earlier }
    }
}
