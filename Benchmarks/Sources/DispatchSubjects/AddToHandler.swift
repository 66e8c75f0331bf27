public import Duet

/// Adds two numbers.
public struct AddToHandler: QueryHandler, Sendable {
    private let offset: Int

    /// Creates a handler that adds `offset` to each number.
    public init(offset: Int) {
        self.offset = offset
    }

    /// The sum of the query's number and the handler's.
    @inline(never)
    public func handle(_ query: AddTo) async throws -> Int { query.number &+ offset }
}
