/// Finds an object by a type: the handler of a message, the provider of a dependency.
///
/// An open-addressed table with linear probing. It is filled once and at most half full, so a look-up ends after a step
/// or two, without hashing and without a lock; that is why it is not a `Dictionary`.
package struct TypeTable: Sendable {
    private struct Slot: Sendable {
        var type: ObjectIdentifier?
        var object: (any AnyObject & Sendable)?
    }

    private let slots: [Slot]
    private let mask: Int

    /// Files each object under its type; no type may occur twice.
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

    /// The object filed under `type`, or nil.
    @inline(__always)
    package subscript<T>(_ type: T.Type) -> (any AnyObject & Sendable)? {
        self[ObjectIdentifier(type)]
    }

    /// The object filed under the type of this identity, or nil.
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

    /// The same object without a count of its own: it lives as long as the table does.
    ///
    /// For other modules: their compiler does not inline a package's functions, and thus would count it twice.
    package func lent(_ key: ObjectIdentifier) -> Unmanaged<AnyObject>? {
        guard let object = self[key] else { return nil }
        return unsafe Unmanaged.passUnretained(object)
    }

    /// The address of the type's metadata, whose low bits hardly differ from type to type.
    @inline(__always)
    private static func hash(_ type: ObjectIdentifier) -> Int {
        Int(bitPattern: type) >> 4
    }
}
