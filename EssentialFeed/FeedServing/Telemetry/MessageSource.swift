package import Duet
import ServiceContextModule
import Synchronization

/// The part of the program whose value a message returned.
package enum MessageSource: String, CaseIterable, Sendable {
    /// The memory of the cache, or a load that was running.
    case memory

    /// The store on disk.
    case store

    /// The server.
    case server

    /// The handler, with neither the store nor the server.
    case process

    /// The queue, which sends the command later.
    case queue
}

extension MessageSource {
    /// Runs `operation`, and returns the source that was noted last while it ran, or nil.
    package static func observing<Value>(
        _ operation: () async throws -> Value
    ) async -> (result: Result<Value, any Error>, source: MessageSource?) {
        let notes = Notes()
        var context = ServiceContext.current ?? .topLevel
        context.sourceNotes = notes
        return await ServiceContext.withValue(context) {
            do {
                return (.success(try await operation()), notes.last)
            } catch {
                return (.failure(error), notes.last)
            }
        }
    }

    /// Notes that the message of this task got its value from here, if somebody observes it.
    package func note() {
        ServiceContext.current?.sourceNotes?.add(self)
    }

    fileprivate final class Notes: Sendable {
        private let source = Mutex<MessageSource?>(nil)

        var last: MessageSource? { source.withLock(\.self) }

        func add(_ source: MessageSource) { self.source.withLock { $0 = source } }
    }
}

extension ServiceContext {
    fileprivate var sourceNotes: MessageSource.Notes? {
        get { self[SourceNotesKey.self] }
        set { self[SourceNotesKey.self] = newValue }
    }
}

private enum SourceNotesKey: ServiceContextKey {
    typealias Value = MessageSource.Notes
}

/// Notes that a message has reached its handler.
///
/// It belongs inside all other layers. The handler's parts note their own sources later.
package struct HandlerNotes: Middleware {
    package init() {}

    package func dispatch<M: Message>(_ message: M, next: some Dispatcher) async throws -> M.Value {
        MessageSource.process.note()
        return try await next.dispatch(message)
    }
}
