/// A dispatcher that reports how the values of queries change.
///
/// A cache reports the changes that it sees, and a dispatcher to a server those that the server reports.
public protocol LiveDispatcher: Dispatcher {
    /// Whether the changes of a query's values are reported.
    func isLive<Q: Query>(_ query: Q.Type) -> Bool

    /// Returns the current value of a query, and then its changes; nil if they are not reported.
    func updates<Q: Query>(of query: Q) -> QueryUpdates<Q.Value>? where Q.Value: Sendable
}

/// A change of a query's value, or of the connection that reports it.
public enum QueryUpdate<Value> {
    /// The value.
    case value(Value)

    /// The value has not changed since the last one, and its changes are reported again after a failure.
    case unchanged

    /// The value could not be loaded, or its changes are not reported at the moment. The last value may be stale.
    case failure(any Error)
}

extension QueryUpdate: Sendable where Value: Sendable {}

/// The current value of a query, and then its changes.
///
/// A reader that is slow skips to the newest value. The sequence ends when its task is canceled, and when changes are
/// no longer reported.
public struct QueryUpdates<Value: Sendable>: AsyncSequence, Sendable {
    /// Iterates over the updates.
    public struct AsyncIterator: AsyncIteratorProtocol {
        fileprivate let read: () async -> QueryUpdate<Value>?

        /// Returns the next update, or nil after the last one.
        public mutating func next() async -> QueryUpdate<Value>? { await read() }
    }

    private let begin: @Sendable () -> () async -> QueryUpdate<Value>?

    /// Creates a sequence.
    ///
    /// - Parameter begin: Begins an iteration, and returns the function that waits for the next update.
    public init(_ begin: @escaping @Sendable () -> () async -> QueryUpdate<Value>?) {
        self.begin = begin
    }

    /// Begins to observe.
    public func makeAsyncIterator() -> AsyncIterator { AsyncIterator(read: begin()) }
}

extension QueryUpdates {
    /// Returns a sequence of converted updates.
    public func mapUpdates<Other: Sendable>(
        _ convert: @escaping @Sendable (QueryUpdate<Value>) -> QueryUpdate<Other>
    ) -> QueryUpdates<Other> {
        QueryUpdates<Other> {
            var iterator = makeAsyncIterator()
            return { await iterator.next().map(convert) }
        }
    }

    /// Returns the same updates with converted values; a value that cannot be converted is a failure.
    public func mapValues<Other: Sendable>(
        _ convert: @escaping @Sendable (Value) throws -> Other
    ) -> QueryUpdates<Other> {
        mapUpdates { update in
            switch update {
            case .value(let value):
                do {
                    return .value(try convert(value))
                } catch {
                    return .failure(error)
                }
            case .unchanged: return .unchanged
            case .failure(let error): return .failure(error)
            }
        }
    }
}
