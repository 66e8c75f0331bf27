import Synchronization

/// Forms of a value that a cache keeps, such as its bytes, each made once for all who ask.
///
/// It exists for as long as the entry of the value, unless there is too much of it.
package final class ValueForms: Sendable {
    private typealias Object = any AnyObject & Sendable

    private final class Box<Form: Sendable>: Sendable {
        let form: Form

        init(_ form: Form) {
            self.form = form
        }
    }

    private enum State {
        case beingMade(Task<Object, any Error>)
        case made(Object, size: Int)
    }

    private struct Slot {
        let maker: Object
        let variant: String?
        var state: State

        var size: Int { if case .made(_, let size) = state { size } else { 0 } }

        var isMade: Bool { if case .made = state { true } else { false } }

        func isOf(_ maker: AnyObject, _ variant: String?) -> Bool { self.maker === maker && self.variant == variant }
    }

    /// The number of variants that one maker may have, of which the newest stay.
    private static let variantLimit = 2

    /// Receives a change of the size of all forms, in bytes, their identity, and the forms unless they are released.
    package typealias NoteSize = @Sendable (_ change: Int, _ id: ObjectIdentifier, _ forms: ValueForms?) -> Void

    private let isPersonal: Bool
    private let noteSize: NoteSize
    private let slots = Mutex<[Slot]>([])

    /// - Parameter isPersonal: Whether the value is that of one principal.
    package init(isPersonal: Bool, noteSize: @escaping NoteSize) {
        self.isPersonal = isPersonal
        self.noteSize = noteSize
    }

    deinit { noteSize(-size, ObjectIdentifier(self), nil) }

    /// The size of all forms, in bytes.
    package var size: Int { slots.withLock { $0.reduce(0) { $0 + $1.size } } }

    /// Returns a form, which is made now if nobody has done so.
    ///
    /// It is made in a task without the values of the current one, because others get it, too. A personal value alone
    /// has its principal there.
    ///
    /// - Parameters:
    ///   - maker: The owner of the form.
    ///   - variant: One of several forms of the maker.
    ///   - make: Returns the form, and its size in bytes.
    /// - Throws: The error of `make`; then nothing is kept.
    package func form<Form: Sendable>(
        by maker: some AnyObject & Sendable,
        _ variant: String? = nil,
        _ make: @escaping @Sendable () throws -> (Form, size: Int)
    ) async throws -> Form {
        let state = slots.withLock { slots in
            if let slot = slots.first(where: { $0.isOf(maker, variant) }) { return slot.state }
            let caller = Caller(principal: isPersonal ? Principal.current : nil, isServed: Caller.current.isServed)
            let task = Task<Object, any Error>.detached {
                do {
                    let (form, size) = try caller.run(make)
                    let box = Box(form)
                    self.keep(box, size, by: maker, variant)
                    return box
                } catch {
                    self.slots.withLock { $0.removeAll { $0.isOf(maker, variant) } }
                    throw error
                }
            }
            slots.append(Slot(maker: maker, variant: variant, state: .beingMade(task)))
            return .beingMade(task)
        }
        let box =
            switch state {
            case .made(let box, _): box
            case .beingMade(let task): try await task.value
            }
        // Each maker has forms of one type.
        return unsafe unsafeDowncast(box, to: Box<Form>.self).form
    }

    /// Returns a small form, which the current task makes if there is none.
    package func smallForm<Form: Sendable>(
        by maker: some AnyObject & Sendable,
        _ make: () -> Form
    ) -> Form {
        let made = slots.withLock { slots in slots.first { $0.isOf(maker, nil) }?.state }
        if case .made(let box, _) = made { return unsafe unsafeDowncast(box, to: Box<Form>.self).form }
        let form = make()
        keep(Box(form), 0, by: maker, nil)
        return form
    }

    /// Forgets all forms.
    package func removeAll() {
        let size = slots.withLock { slots in
            defer { slots.removeAll(where: \.isMade) }
            return slots.reduce(0) { $0 + $1.size }
        }
        if size > 0 { noteSize(-size, ObjectIdentifier(self), self) }
    }

    private func keep(_ box: Object, _ size: Int, by maker: Object, _ variant: String?) {
        let change = slots.withLock { slots in
            let old = slots.reduce(0) { $0 + $1.size }
            slots.removeAll { $0.isOf(maker, variant) }
            let made = slots.indices.filter { slots[$0].maker === maker && slots[$0].isMade }
            if made.count >= Self.variantLimit { slots.remove(at: made[0]) }
            slots.append(Slot(maker: maker, variant: variant, state: .made(box, size: size)))
            return slots.reduce(0) { $0 + $1.size } - old
        }
        if change != 0 { noteSize(change, ObjectIdentifier(self), self) }
    }
}
