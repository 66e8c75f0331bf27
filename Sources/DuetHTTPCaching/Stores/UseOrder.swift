/// Ids in the order in which they were used, where using, adding and removing take the same time however many there are.
///
/// They stand in a list whose links are numbers of places: an id is looked up once, and its neighbours not at all.
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

    /// What was used longest ago.
    package var first: ID? { firstPlace.map { places[$0].id } }

    /// How many there are.
    package var count: Int { numbers.count }

    package init() {}

    /// Whether an id is there.
    package func contains(_ id: ID) -> Bool { !numbers.isEmpty && numbers[id] != nil }

    /// Puts an id at the end, whether it was there before or not.
    ///
    /// Specialised, because other modules would look up the types that it is made of at each use.
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

    /// Takes an id out, if it is there.
    @_specialize(where ID == HTTPCacheEntry.ID)
    package mutating func remove(_ id: ID) {
        guard !numbers.isEmpty, let number = numbers.removeValue(forKey: id) else { return }
        // So that nothing is kept of those that were there.
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
