/// A resource that is released when its scope ends, such as a transaction, a connection, or a file.
///
/// In a `@MainActor` class, repeat `@MainActor` on `dispose()`.
public protocol Disposable: Sendable {
    /// Releases the resource.
    ///
    /// A scope calls this method once, after disposing of everything that depends on this value, even if the work
    /// failed or was canceled. The call itself is not canceled. An object that is registered under a second contract is
    /// still disposed of once, by the scope that keeps it first. A struct is disposed of with each copy.
    func dispose() async
}

/// A scoped value whose work takes effect only if that of its scope succeeds, such as a transaction.
///
/// ``Disposable/dispose()`` follows in every case, and undoes what was not committed.
public protocol Committable: Disposable {
    /// Makes the work take effect.
    ///
    /// A dispatch calls this method once, after its handler has succeeded and before it returns.
    /// ``Scope/withScope(overriding:body:)`` does so after its body. Nothing can be resolved in the scope anymore. What
    /// depends on this value is committed before it. The call is part of the dispatch, so it is canceled with it.
    ///
    /// - Throws: An error that the dispatch throws in place of its value. Values that are not committed yet stay so.
    func commit() async throws
}
