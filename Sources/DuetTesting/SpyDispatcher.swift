public import Duet
import Synchronization

/// Stands in for a dispatcher in a test: it answers as the test says, and remembers what it was given.
///
/// ```swift
/// let spy = SpyDispatcher()
/// spy.stub(LoadFeed.self) { query in FeedPage(images: [], after: query.after) }
/// spy.stub(PostComment.self)
/// try await subject.post("Well done", with: spy)
/// #expect(spy.messages(of: PostComment.self) == [PostComment(text: "Well done")])
/// #expect(spy.messageNames == [LoadFeed.messageName, PostComment.messageName])
/// ```
///
/// A message that was not stubbed is an ``UnstubbedMessage``. It can be used by several tasks at a time; the order of what
/// it remembers is that in which the dispatches began.
public final class SpyDispatcher: CommandQueryDispatcher {
    private struct Record {
        let name: String
        let message: any Sendable
    }

    private struct State {
        var records: [Record] = []
        /// By the type of the command `C`: a `Stub<C, Void>`.
        var commandStubs: [ObjectIdentifier: any AnyObject & Sendable] = [:]
        /// By the type of the query `Q`: a `Stub<Q, Q.Value>`.
        ///
        /// Apart from the commands, because one type may be both.
        var queryStubs: [ObjectIdentifier: any AnyObject & Sendable] = [:]
    }

    private let state = Mutex(State())
    private let onUnstubbed: @Sendable (UnstubbedMessage) -> Void

    /// Makes a dispatcher that has seen nothing and has no stubs.
    ///
    /// - Parameter onUnstubbed: Is told of each message that has no stub, beside the error that `dispatch` throws. The code
    ///   under test may swallow that error; `{ Issue.record($0) }` fails the test all the same.
    public init(onUnstubbed: @escaping @Sendable (UnstubbedMessage) -> Void = { _ in }) {
        self.onUnstubbed = onUnstubbed
    }

    /// Every message that was dispatched, stubbed or not, in the order in which the dispatches began.
    public var messages: [any Sendable] { state.withLock { $0.records.map(\.message) } }

    /// The stable name of every message that was dispatched, in the same order.
    public var messageNames: [String] { state.withLock { $0.records.map(\.name) } }

    /// The messages of one type that were dispatched, in the same order.
    public func messages<M: Sendable>(of type: M.Type) -> [M] {
        messages.compactMap { $0 as? M }
    }

    /// Remembers the command and has its stub handle it.
    ///
    /// - Throws: What the stub throws, or ``UnstubbedMessage``.
    public func dispatch<C: Command>(_ command: C) async throws {
        let stub = state.withLock { state in
            state.records.append(Record(name: C.messageName, message: command))
            return state.commandStubs[ObjectIdentifier(C.self)]
        }
        guard let stub = stub as? Stub<C, Void> else { throw told(UnstubbedMessage(command: C.self)) }
        try await stub.answer(command)
    }

    /// Remembers the query and has its stub answer it.
    ///
    /// - Throws: What the stub throws, or ``UnstubbedMessage``.
    public func dispatch<Q: Query>(_ query: Q) async throws -> Q.Value {
        let stub = state.withLock { state in
            state.records.append(Record(name: Q.messageName, message: query))
            return state.queryStubs[ObjectIdentifier(Q.self)]
        }
        guard let stub = stub as? Stub<Q, Q.Value> else { throw told(UnstubbedMessage(query: Q.self)) }
        return try await stub.answer(query)
    }

    func add<C: Command>(_ stub: Stub<C, Void>) {
        state.withLock { $0.commandStubs[ObjectIdentifier(C.self)] = stub }
    }

    func add<Q: Query>(_ stub: Stub<Q, Q.Value>) {
        state.withLock { $0.queryStubs[ObjectIdentifier(Q.self)] = stub }
    }

    private func told(_ unstubbed: UnstubbedMessage) -> UnstubbedMessage {
        onUnstubbed(unstubbed)
        return unstubbed
    }
}

/// What one type of message is answered with.
final class Stub<Message: Sendable, Answer>: Sendable {
    let answer: @Sendable @concurrent (Message) async throws -> sending Answer

    init(_ answer: @escaping @Sendable @concurrent (Message) async throws -> sending Answer) {
        self.answer = answer
    }
}
