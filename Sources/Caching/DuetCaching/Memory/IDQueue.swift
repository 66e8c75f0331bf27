/// The neighbors of IDs in doubly linked lists, which several lists share.
///
/// An ID is in one list at most. All operations take constant time.
struct IDLinks {
    /// The neighbors toward the first and toward the last ID; -1 for none.
    fileprivate struct Neighbors {
        var earlier: Int32 = -1
        var later: Int32 = -1
    }

    fileprivate var neighbors: [Neighbors] = []
}

struct IDQueue {
    private(set) var first = -1
    private(set) var last = -1
    private(set) var count = 0
    private(set) var weight = 0

    var isEmpty: Bool { first < 0 }

    mutating func append(_ id: Int, weight: Int, _ links: inout IDLinks) {
        while links.neighbors.count <= id { links.neighbors.append(IDLinks.Neighbors()) }
        links.neighbors[id] = IDLinks.Neighbors(earlier: Int32(last), later: -1)
        if last >= 0 { links.neighbors[last].later = Int32(id) } else { first = id }
        last = id
        count += 1
        self.weight += weight
    }

    mutating func addWeight(_ change: Int) { weight += change }

    mutating func remove(_ id: Int, weight: Int, _ links: inout IDLinks) {
        let (earlier, later) = (links.neighbors[id].earlier, links.neighbors[id].later)
        if earlier >= 0 { links.neighbors[Int(earlier)].later = later } else { first = Int(later) }
        if later >= 0 { links.neighbors[Int(later)].earlier = earlier } else { last = Int(earlier) }
        count -= 1
        self.weight -= weight
    }
}
