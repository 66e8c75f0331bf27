/// IDs in the order of their last use, with operations in constant time.
///
/// A doubly linked list in an array: links are indices, so that an ID is looked up once, and its neighbors not at all.
package struct UseOrder<ID: Hashable & Sendable>: Sendable {
    private struct Place {
        var id: ID
        var earlier: Int?
        var later: Int?
    }

    private var numbers: [ID: Int] = [:]
    private var places: [Place] = []
    private var free: [Int] = []
    private var firstPlace: Int?
    private var lastPlace: Int?

    /// The least recently used ID.
    package var first: ID? { firstPlace.map { places[$0].id } }

    package var count: Int { numbers.count }

    package init() {}

    package func contains(_ id: ID) -> Bool { !numbers.isEmpty && numbers[id] != nil }

    /// Moves an ID to the end, or adds it.
    ///
    /// Specialized, because other modules would look up the generic types at each use.
    @_specialize(where ID == HTTPCacheEntry.ID)
    package mutating func use(_ id: ID) {
        if let number = numbers[id] {
            guard number != lastPlace else { return }
            unlink(number)
            link(number)
        } else {
            let number = free.popLast() ?? places.count
            if number == places.count { places.append(Place(id: id)) } else { places[number].id = id }
            numbers[id] = number
            link(number)
        }
    }

    /// Removes an ID, if it exists.
    @_specialize(where ID == HTTPCacheEntry.ID)
    package mutating func remove(_ id: ID) {
        guard !numbers.isEmpty, let number = numbers.removeValue(forKey: id) else { return }
        // Releases the memory of removed IDs.
        guard !numbers.isEmpty else { return self = UseOrder() }
        unlink(number)
        free.append(number)
    }

    private mutating func link(_ number: Int) {
        places[number].earlier = lastPlace
        places[number].later = nil
        if let lastPlace { places[lastPlace].later = number } else { firstPlace = number }
        lastPlace = number
    }

    private mutating func unlink(_ number: Int) {
        let (earlier, later) = (places[number].earlier, places[number].later)
        if let earlier { places[earlier].later = later } else { firstPlace = later }
        if let later { places[later].earlier = earlier } else { lastPlace = earlier }
    }
}
