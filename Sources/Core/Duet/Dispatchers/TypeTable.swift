/// Finds an object by a type: the handler of a message, or the provider of a dependency.
///
/// An open-addressed hash table with linear probing, filled once and at most half full. A lookup takes a step or two
/// and needs neither the hashing of a `Dictionary` nor a lock.
package struct TypeTable: Sendable {
    private struct Slot {
        var type: ObjectIdentifier?
        var object: (any AnyObject & Sendable)?
    }

    private let slots: [Slot]
    private let mask: Int

    /// Stores each object under its type, which must occur only once.
    package init(_ entries: [(type: ObjectIdentifier, object: any AnyObject & Sendable)]) {
        var capacity = 4
        while capacity < entries.count * 2 { capacity *= 2 }
        mask = capacity - 1

        var slots = [Slot](repeating: Slot(), count: capacity)
        for entry in entries {
            var index = Self.hash(entry.type) & mask
            while slots[index].type != nil { index = (index + 1) & mask }
            slots[index] = Slot(type: entry.type, object: entry.object)
        }
        self.slots = slots
    }

    @inline(__always)
    package subscript<T>(_ type: T.Type) -> (any AnyObject & Sendable)? {
        self[ObjectIdentifier(type)]
    }

    @inline(__always)
    package subscript(_ key: ObjectIdentifier) -> (any AnyObject & Sendable)? {
        var index = Self.hash(key) & mask
        while true {
            let slot = slots[index]
            if slot.type == key { return slot.object }
            if slot.type == nil { return nil }
            index = (index + 1) & mask
        }
    }

    /// Returns the stored object without retaining it; the object lives as long as the table.
    ///
    /// Other modules use this method because the compiler does not inline a package's functions into them, so a lookup
    /// there would retain the object twice.
    package func unretained(_ key: ObjectIdentifier) -> Unmanaged<AnyObject>? {
        guard let object = self[key] else { return nil }
        return unsafe Unmanaged.passUnretained(object)
    }

    /// The low bits of the metadata's address hardly differ between types, so they are dropped.
    @inline(__always)
    private static func hash(_ type: ObjectIdentifier) -> Int {
        Int(bitPattern: type) >> 4
    }
}
