/// Ids in the order in which they were used, where using, adding and removing take the same time however many there are.
package struct UseOrder<ID: Hashable & Sendable>: Sendable {
    private struct Link {
        var earlier: ID?
        var later: ID?
    }

    private var links: [ID: Link] = [:]

    /// What was used longest ago.
    package private(set) var first: ID?
    private var last: ID?

    /// How many there are.
    package var count: Int { links.count }

    package init() {}

    /// Whether an id is there.
    package func contains(_ id: ID) -> Bool { links[id] != nil }

    /// Puts an id at the end, whether it was there before or not.
    ///
    /// Specialised, because other modules would look up the types that it is made of at each use.
    @_specialize(where ID == HTTPCacheEntry.ID)
    package mutating func use(_ id: ID) {
        guard last != id else { return }
        remove(id)
        links[id] = Link(earlier: last)
        if let last { links[last]?.later = id }
        last = id
        if first == nil { first = id }
    }

    /// Takes an id out, if it is there.
    package mutating func remove(_ id: ID) {
        guard !links.isEmpty, let link = links.removeValue(forKey: id) else { return }
        if let earlier = link.earlier { links[earlier]?.later = link.later } else { first = link.later }
        if let later = link.later { links[later]?.earlier = link.earlier } else { last = link.earlier }
    }
}
