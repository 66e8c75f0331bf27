/// Finds the handler of a message by the message's type.
///
/// An open-addressed table with linear probing. It is filled once and at most half full, so a look-up ends after a step
/// or two, without hashing and without a lock; that is why it is not a `Dictionary`.
struct HandlerTable: Sendable {
    private struct Slot {
        var message: ObjectIdentifier?
        var box: (any AnyObject & Sendable)?
    }

    private let slots: [Slot]
    private let mask: Int

    /// Files each handler's box under its message; no message may occur twice.
    init(_ registrations: [HandlerRegistration]) {
        var capacity = 4
        while capacity < registrations.count * 2 { capacity *= 2 }
        mask = capacity - 1

        var slots = [Slot](repeating: Slot(), count: capacity)
        for registration in registrations {
            var index = Self.hash(registration.message) & mask
            while slots[index].message != nil { index = (index + 1) & mask }
            slots[index] = Slot(message: registration.message, box: registration.box)
        }
        self.slots = slots
    }

    @inline(__always)
    subscript<Message>(_ message: Message.Type) -> (any AnyObject & Sendable)? {
        let key = ObjectIdentifier(message)
        var index = Self.hash(key) & mask
        while true {
            let slot = slots[index]
            if slot.message == key { return slot.box }
            if slot.message == nil { return nil }
            index = (index + 1) & mask
        }
    }

    /// The address of the type's metadata, whose low bits hardly differ from type to type.
    @inline(__always)
    private static func hash(_ message: ObjectIdentifier) -> Int {
        Int(bitPattern: message) >> 4
    }
}
