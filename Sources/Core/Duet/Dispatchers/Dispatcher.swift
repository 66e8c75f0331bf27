/// Takes commands to their handlers.
///
/// Code that only writes depends on this half.
public protocol CommandDispatcher: Sendable {
    /// Dispatches the command and returns when its handler is done.
    ///
    /// - Throws: The handler's error, unchanged, or a ``DispatchError`` when the command did not reach a handler.
    func dispatch<C: Command>(_ command: C) async throws
}

/// Takes queries to their handlers.
///
/// Code that only reads depends on this half.
public protocol QueryDispatcher: Sendable {
    /// Dispatches the query and returns its value.
    ///
    /// - Throws: As ``CommandDispatcher/dispatch(_:)``.
    func dispatch<Q: Query>(_ query: Q) async throws -> Q.Value
}

/// Takes commands and queries to their handlers.
///
/// A custom dispatcher implements one method that serves both halves:
///
/// ```swift
/// /// Sends commands to one dispatcher and queries to another, such as a read replica.
/// struct SplitDispatcher: Dispatcher {
///     let writer: any Dispatcher
///     let reader: any Dispatcher
///
///     func dispatch<M: Message>(_ message: M) async throws -> M.Value {
///         try await (M.self is any Command.Type ? writer : reader).dispatch(message)
///     }
/// }
/// ```
public protocol Dispatcher: CommandDispatcher, QueryDispatcher {
    /// Dispatches the message and returns its value; `Void` for a command.
    ///
    /// - Throws: The handler's error, unchanged, or a ``DispatchError`` when the message did not reach a handler.
    func dispatch<M: Message>(_ message: M) async throws -> M.Value

    /// Whether the changes of a query's values are reported; by default not.
    ///
    /// A cache reports the changes that it sees, and a dispatcher to a server those that the server reports.
    func isLive<Q: Query>(_ query: Q.Type) -> Bool

    /// Returns the current value of a query, and then its changes; nil, the default, if they are not reported.
    ///
    /// Observe a query with ``observe(_:refreshingEvery:clock:)``.
    func updates<Q: Query>(of query: Q) -> QueryStates<Q.Value>? where Q.Value: Sendable

    /// Whether this dispatcher answers with one outcome of an observed query, which passes through the layers.
    ///
    /// Only the `next` of a middleware may. A middleware that repeats, limits or measures messages forwards such an
    /// outcome at once.
    var isUpdate: Bool { get }
}

extension Dispatcher {
    /// False: no changes are reported.
    public func isLive<Q: Query>(_ query: Q.Type) -> Bool { false }

    /// Nil: no changes are reported.
    public func updates<Q: Query>(of query: Q) -> QueryStates<Q.Value>? where Q.Value: Sendable { nil }

    /// False: each message is dispatched.
    public var isUpdate: Bool { false }
}

/// A dispatcher of both commands and queries; another name of ``Dispatcher``.
public typealias CommandQueryDispatcher = Dispatcher

/// A dispatcher that knows its messages before the first one is dispatched.
package protocol HandlerListing {
    /// Whether there is a handler for messages of the type with this identity.
    func hasHandler(for message: ObjectIdentifier) -> Bool
}

/// A dispatcher around another one.
package protocol WrappingDispatcher: Dispatcher {
    var base: any Dispatcher { get }

    func passage<Q: Query>(of query: Q.Type) -> ValuePassage
}

extension Dispatcher {
    /// The first dispatcher of a type, from this one inward; nil also if another program's layer hides it.
    package func wrapped<D: Dispatcher>(_ type: D.Type) -> D? {
        self as? D ?? (self as? any WrappingDispatcher)?.base.wrapped(type)
    }

    /// Whether each value of a query is that of the outermost cache of the query, which no layer around it changes.
    package func keepsValues<Q: Query>(of query: Q.Type) -> Bool {
        guard let layer = self as? any WrappingDispatcher else { return false }
        return switch layer.passage(of: query) {
        case .kept: true
        case .preserved: layer.base.keepsValues(of: query)
        case .changed: false
        }
    }

    /// The sources among this dispatcher and those that it wraps.
    package var trackedSources: [any TrackedSource] {
        let inner = (self as? any WrappingDispatcher)?.base.trackedSources ?? []
        return (self as? any TrackedSource).map { [$0] + inner } ?? inner
    }
}
