/// IDs in order, as a doubly linked list in arrays that several lists of one policy share.
///
/// An ID is in one list at most. All operations take constant time.
struct IDLinks: Sendable {
    /// The neighbors of each ID, towards the first and towards the last; -1 for none.
    fileprivate var earlier: [Int32] = []
    fileprivate var later: [Int32] = []

    fileprivate mutating func makeRoom(for id: Int) {
        while earlier.count <= id {
            earlier.append(-1)
            later.append(-1)
        }
    }
}

/// One list of IDs.
struct IDQueue: Sendable {
    private(set) var first = -1
    private(set) var last = -1
    private(set) var weight = 0

    var isEmpty: Bool { first < 0 }

    /// Adds an ID at the end.
    mutating func append(_ id: Int, weight: Int, _ links: inout IDLinks) {
        links.makeRoom(for: id)
        links.earlier[id] = Int32(last)
        links.later[id] = -1
        if last >= 0 { links.later[last] = Int32(id) } else { first = id }
        last = id
        self.weight += weight
    }

    mutating func remove(_ id: Int, weight: Int, _ links: inout IDLinks) {
        let (earlier, later) = (Int(links.earlier[id]), Int(links.later[id]))
        if earlier >= 0 { links.later[earlier] = Int32(later) } else { first = later }
        if later >= 0 { links.earlier[later] = Int32(earlier) } else { last = earlier }
        self.weight -= weight
    }

    /// The ID after another one, towards the end; nil after the last.
    func next(after id: Int, _ links: IDLinks) -> Int? {
        let next = Int(links.later[id])
        return next < 0 ? nil : next
    }
}
