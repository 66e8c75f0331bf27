/// Finds the handler of a message by the message's type.
///
/// An open-addressed table with linear probing. It is filled once and at most half full, so a look-up ends after a step
/// or two, without hashing and without a lock; that is why it is not a `Dictionary`.
struct HandlerTable: Sendable {
    private struct Slot {
        var message: ObjectIdentifier?
        var box: (any HandlerBox)?
    }

    private let slots: [Slot]
    private let mask: Int

    init(_ registrations: [HandlerRegistration]) throws(DispatchError) {
        var capacity = 4
        while capacity < registrations.count * 2 { capacity *= 2 }
        mask = capacity - 1

        var slots = [Slot](repeating: Slot(), count: capacity)
        var handlerNames: [ObjectIdentifier: String] = [:]
        for registration in registrations {
            if let other = handlerNames.updateValue(registration.handlerName, forKey: registration.message) {
                throw .duplicateHandler(
                    message: registration.messageName,
                    handlers: [other, registration.handlerName]
                )
            }
            var index = Self.hash(registration.message) & mask
            while slots[index].message != nil { index = (index + 1) & mask }
            slots[index] = Slot(message: registration.message, box: registration.box)
        }
        self.slots = slots
    }

    @inline(__always)
    subscript<Message>(_ message: Message.Type) -> (any HandlerBox)? {
        let key = ObjectIdentifier(message)
        var index = Self.hash(key) & mask
        while true {
            let slot = slots[index]
            if slot.message == key { return slot.box }
            if slot.message == nil { return nil }
            index = (index + 1) & mask
        }
    }

    /// Metadata is aligned to 16 bytes, so the low four bits of its address say nothing.
    @inline(__always)
    private static func hash(_ message: ObjectIdentifier) -> Int {
        Int(bitPattern: message) >> 4
    }
}
