package import Duet

/// Takes the messages of one type from their bytes to what became of them, in the same steps for each carrier.
package struct MessageReceiver<M: Message>: Sendable {
    package let admission: Admission<M>
    private let callers: PermittedCallers?

    package init(_ entry: MessageAPI.Entry) {
        // An entry has the admission of its message's type.
        admission = unsafe unsafeDowncast(entry.admission, to: Admission<M>.self)
        callers = entry.callers
    }

    /// Reads a message, accepts it, and has it handled.
    ///
    /// - Parameters:
    ///   - context: The caller, the deadline and the key. The message gets nothing else of the current task.
    ///   - errors: The errors that senders catch by their types.
    ///   - read: Decodes the message of a permitted caller.
    ///   - handle: Dispatches the accepted message, and encodes its value.
    package func receive(
        in context: TaskContext,
        declared errors: @autoclosure () -> [any DeclaredError.Type],
        read: () throws -> M,
        handle: (M) async throws -> Void
    ) async throws(MessageFailure) {
        let received = ReceivedErrors()
        do {
            try await ReceivedErrors.$current.withValue(received) {
                try await context.runKeyed { try await accept(errors(), read: read, handle: handle) }
            }
        } catch let failure as MessageFailure {
            throw failure
        } catch let refusal as Refusal {
            throw .refused(refusal.error, isDeclared: errors().declare(refusal.error))
        } catch let error as any DeclaredError {
            // The credentials with which this process was refused elsewhere are not those of the sender.
            let isOfAnother = received.contains(error)
            if errors().declare(error), !(isOfAnother && error is AuthorizationError) { throw .declared(error) }
            throw isOfAnother ? .foreign(error) : .fault(error)
        } catch {
            throw .fault(error)
        }
    }

    @inline(__always)
    private func accept(
        _ errors: @autoclosure () -> [any DeclaredError.Type],
        read: () throws -> M,
        handle: (M) async throws -> Void
    ) async throws {
        // Before a message is read, so that a stranger learns nothing else about it.
        do { try callers?.check(.current) } catch { throw MessageFailure.refused(error, isDeclared: true) }
        let message: M
        do {
            message = try read()
        } catch let error where !(error is CancellationError || errors().declare(error)) {
            throw MessageFailure.unreadable(error)
        }
        try await admission.admitting(message) {
            // Nobody waits for the value anymore.
            if let deadline = Deadline.current, deadline.remaining <= .zero { throw CancellationError() }
            try await handle(message)
        }
    }
}

/// Why a received message has no value, for its carrier to tell the sender.
package enum MessageFailure: Error {
    /// The bytes are no message of this type. The text of another error than the carrier's is not for senders.
    case unreadable(any Error)

    /// No handler has run: the caller may not send the message, or the message is not valid.
    case refused(any Error, isDeclared: Bool)

    /// An error that senders catch by its type.
    case declared(any DeclaredError)

    /// An error that another process has sent to this one, and whose details are not for this message's sender.
    case foreign(any DeclaredError)

    /// Another error, which only the log of this process describes.
    case fault(any Error)
}

extension TaskContext {
    /// Runs an operation in this context, whose key goes as far as the handler of its command.
    @inline(__always)
    fileprivate func runKeyed(_ operation: () async throws -> Void) async throws {
        guard service?.commandKey != nil else { return try await run(operation) }
        try await CommandKeyBoundary.open { try await run(operation) }
    }
}

extension [any DeclaredError.Type] {
    /// Whether senders catch an error by its type.
    fileprivate func declare(_ error: any Error) -> Bool {
        error is AuthorizationError || contains { $0 == type(of: error) }
    }
}
