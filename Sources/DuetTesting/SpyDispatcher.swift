public import Duet
import Synchronization

/// Replaces a dispatcher in a test: it returns what the test stubs, and records every message.
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
/// A message without a stub throws ``UnstubbedMessage``. Several tasks may use the spy at a time; messages are recorded in the
/// order in which their dispatches begin.
public final class SpyDispatcher: Dispatcher {
    private struct Record {
        let name: String
        let message: any Sendable
    }

    private struct State {
        var records: [Record] = []
        /// By the type of the message `M`: a `Stub<M>`.
        var stubs: [ObjectIdentifier: any AnyObject & Sendable] = [:]
    }

    private let state = Mutex(State())
    private let onUnstubbed: @Sendable (UnstubbedMessage) -> Void

    /// Creates a spy without stubs.
    ///
    /// - Parameter onUnstubbed: Receives each message without a stub, in addition to the error that `dispatch` throws. The code
    ///   under test may swallow that error; `{ Issue.record($0) }` fails the test anyway.
    public init(onUnstubbed: @escaping @Sendable (UnstubbedMessage) -> Void = { _ in }) {
        self.onUnstubbed = onUnstubbed
    }

    /// Every dispatched message, stubbed or not, in the order in which the dispatches began.
    public var messages: [any Sendable] { state.withLock { $0.records.map(\.message) } }

    /// The stable names of the dispatched messages, in the same order.
    public var messageNames: [String] { state.withLock { $0.records.map(\.name) } }

    /// The dispatched messages of one type, in the same order.
    public func messages<M: Sendable>(of type: M.Type) -> [M] {
        messages.compactMap { $0 as? M }
    }

    /// Records the message and returns what its stub returns.
    ///
    /// - Throws: What the stub throws, or ``UnstubbedMessage``.
    public func dispatch<M: Message>(_ message: M) async throws -> M.Value {
        let stub = state.withLock { state in
            state.records.append(Record(name: M.messageName, message: message))
            return state.stubs[ObjectIdentifier(M.self)]
        }
        guard let stub = stub as? Stub<M> else {
            let unstubbed = UnstubbedMessage(M.self)
            onUnstubbed(unstubbed)
            throw unstubbed
        }
        return try await stub.handle(message)
    }

    func add<M: Message>(_ stub: Stub<M>) {
        state.withLock { $0.stubs[ObjectIdentifier(M.self)] = stub }
    }
}

/// The stand-in for the handler of one type of message.
final class Stub<M: Message>: Sendable {
    let handle: @Sendable @concurrent (M) async throws -> sending M.Value

    init(_ handle: @escaping @Sendable @concurrent (M) async throws -> sending M.Value) {
        self.handle = handle
    }
}
