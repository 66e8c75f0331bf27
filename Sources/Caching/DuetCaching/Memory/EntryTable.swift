/// A hash table of entries, with open addressing, linear probing and backward-shift deletion.
///
/// The table does not know the type of a query, so it is compiled once and is fast for all types. Its users compare the
/// queries. The hash is computed once, before the table is locked, and the query exists only in the entry. A
/// `Dictionary` would hash the query again under the lock, and keep a second copy of it.
struct EntryTable {
    typealias Object = any AnyObject & Sendable

    /// The lower halves of the hashes; zero for an empty slot.
    private var hashes: [UInt32] = []
    private var objects: [Object?] = []
    private var count = 0

    private var mask: Int { hashes.count - 1 }

    var all: some Sequence<Object> { objects.lazy.compactMap(\.self) }

    private static func half(_ hash: Int) -> UInt32 { max(1, UInt32(truncatingIfNeeded: hash)) }

    @inline(__always)
    func candidate(hash: Int) -> Object? {
        guard count > 0 else { return nil }
        let half = Self.half(hash)
        var index = Int(half) & mask
        while hashes[index] != 0 {
            if hashes[index] == half { return objects[index] }
            index = (index + 1) & mask
        }
        return nil
    }

    func object(hash: Int, where isWanted: (Object) -> Bool) -> Object? {
        index(hash: hash, where: isWanted).flatMap { objects[$0] }
    }

    /// Adds an object, and returns the one that it replaces.
    mutating func insert(_ object: Object, hash: Int, replacing isReplaced: (Object) -> Bool) -> Object? {
        if let index = index(hash: hash, where: isReplaced) {
            let old = objects[index]
            objects[index] = object
            return old
        }
        if (count + 1) * 5 > hashes.count * 4 { grow() }
        add(object, Self.half(hash))
        count += 1
        return nil
    }

    mutating func remove(_ object: Object, hash: Int) -> Bool {
        guard let index = index(hash: hash, where: { $0 === object }) else { return false }
        hashes[index] = 0
        objects[index] = nil
        count -= 1
        guard count > 0 else {
            self = EntryTable()
            return true
        }
        closeGap(index)
        return true
    }

    mutating func removeAll() -> [Object] {
        let objects = Array(all)
        self = EntryTable()
        return objects
    }

    private func index(hash: Int, where isWanted: (Object) -> Bool) -> Int? {
        guard count > 0 else { return nil }
        let half = Self.half(hash)
        var index = Int(half) & mask
        while hashes[index] != 0 {
            if hashes[index] == half, let object = objects[index], isWanted(object) { return index }
            index = (index + 1) & mask
        }
        return nil
    }

    private mutating func add(_ object: Object, _ half: UInt32) {
        var index = Int(half) & mask
        while hashes[index] != 0 { index = (index + 1) & mask }
        hashes[index] = half
        objects[index] = object
    }

    /// Moves later entries of a run forward, so that a search never stops at the gap before its entry.
    private mutating func closeGap(_ start: Int) {
        var gap = start
        var index = (gap + 1) & mask
        while hashes[index] != 0 {
            let home = Int(hashes[index]) & mask
            if (index - home) & mask >= (index - gap) & mask {
                hashes[gap] = hashes[index]
                objects[gap] = objects[index]
                hashes[index] = 0
                objects[index] = nil
                gap = index
            }
            index = (index + 1) & mask
        }
    }

    private mutating func grow() {
        let (oldHashes, oldObjects) = (hashes, objects)
        let capacity = max(8, oldHashes.count * 2)
        hashes = Array(repeating: 0, count: capacity)
        objects = Array(repeating: nil, count: capacity)
        for (half, object) in zip(oldHashes, oldObjects) {
            if let object { add(object, half) }
        }
    }
}
